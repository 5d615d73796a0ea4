import { type PluginContext, toMusterError } from "@muster/core";
import {
  type DiscoveryInstance,
  findModelConflict,
  type ModelInstance,
  type WaitOptions,
} from "@muster/core/plane";
import { putRecord, takeRecord } from "./edit-metadata.ts";
import type { OwnRecord } from "./own-record.ts";

/** What registering a model needs of the plane. */
export interface ModelHost {
  readonly own: OwnRecord;
  readonly logger: PluginContext["logger"];
  /** What is published now, read anew. */
  published(options: WaitOptions): Promise<readonly DiscoveryInstance[]>;
}

/**
 * Registers a model, unless another on its endpoint does not fit. An optimistic check and a second look:
 * no lock, so of two at once both may be refused.
 */
export async function registerModel(
  model: ModelInstance,
  host: ModelHost,
  options: WaitOptions,
): Promise<DiscoveryInstance> {
  await checkConflict(model, host, options);
  const stored = await host.own.change({
    what: "register",
    signal: options.signal,
    edit: (metadata) => putRecord(metadata, model),
  });
  try {
    await checkConflict(model, host, options);
  } catch (error) {
    if (stored === model) await withdraw(model, host);
    throw error;
  }
  return stored;
}

/** Against what others have published, and against what we have, published or not. */
async function checkConflict(
  model: ModelInstance,
  { own, published }: ModelHost,
  options: WaitOptions,
): Promise<void> {
  const all = await published(options);
  const others = all.filter(({ instanceId }) => instanceId !== model.instanceId);
  const conflict = findModelConflict(model, [...others, ...own.metadata.modelCards.values()]);
  if (conflict !== undefined) throw conflict;
}

async function withdraw(model: ModelInstance, { own, logger }: ModelHost): Promise<void> {
  const id = model.id();
  try {
    await own.change({
      what: "register",
      signal: undefined,
      edit: (metadata) => takeRecord(metadata, id),
    });
  } catch (error) {
    // what made us withdraw is what the caller has to hear of
    const problem = toMusterError(error, "INTERNAL").toJSON();
    logger.warn({ key: id.toPath(), error: problem }, "a refused model could not be withdrawn");
  }
}
