import type { Endpoint, FreshnessState } from "@muster/core";
import {
  engineState,
  loraState,
  type RegisteredModel,
  registeredModels,
} from "@muster/core/attributes";

/** Which endpoints to list: those that meet every condition given. */
export interface EndpointFilter {
  /** Aggregate freshness; several: any of them. */
  readonly state?: FreshnessState | readonly FreshnessState[] | undefined;
  readonly degraded?: boolean | undefined;
  /** Each must be there with this value. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * A model or adapter that runs or waits there, the name the engine serves its model under, or the
   * name or alias of a model or adapter registered for it.
   */
  readonly model?: string | undefined;
}

/** Whether the state is one of those wanted. */
export function matchesState(state: FreshnessState, wanted: EndpointFilter["state"]): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? state === wanted : wanted.includes(state);
}

/** Whether all wanted labels are there. */
export function matchesLabels(endpoint: Endpoint, wanted: EndpointFilter["labels"]): boolean {
  if (wanted === undefined) return true;
  const { labels } = endpoint.metadata;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** Whether the endpoint serves the model. */
export function matchesModel(endpoint: Endpoint, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const { activeModels, waitingModels } = endpoint.metrics;
  if (activeModels !== undefined && Object.hasOwn(activeModels, wanted)) return true;
  if (waitingModels !== undefined && Object.hasOwn(waitingModels, wanted)) return true;
  if (endpoint.attributes.get(engineState)?.modelName === wanted) return true;
  const lora = endpoint.attributes.get(loraState);
  if (lora?.active.includes(wanted) || lora?.waiting.includes(wanted)) return true;
  const isWanted = ({ name, aliases }: RegisteredModel): boolean =>
    name === wanted || aliases.includes(wanted);
  const registered = endpoint.attributes.get(registeredModels);
  return registered?.models.some(isWanted) === true || registered?.adapters.some(isWanted) === true;
}
