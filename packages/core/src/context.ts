import { type Clock, systemClock } from "./clock.ts";
import type { Endpoint, EndpointWriter } from "./endpoint.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { type Meter, silentMeter } from "./meter.ts";

/** The endpoints of the runtime, as a plugin sees them. */
export interface PluginEndpoints {
  get(id: string): Endpoint | undefined;
  list(): readonly Endpoint[];
  /** All ranks of one pod. */
  byPod(namespace: string, podName: string): readonly Endpoint[];
  /** A handle that may write the attributes the plugin declares in `produces`. */
  writer(id: string): EndpointWriter | undefined;
}

/** What a plugin gets from whoever creates it. */
export interface PluginContext {
  /** Instance name; unset: the plugin's type. */
  readonly name: string | undefined;
  readonly logger: Logger;
  readonly metrics: Meter;
  /** Aborts when the plugin is to let go of everything. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly endpoints: PluginEndpoints;
}

const noEndpoints: PluginEndpoints = Object.freeze({
  get: () => undefined,
  list: () => [],
  byPod: () => [],
  writer: () => undefined,
});

/** A context with silent defaults for whatever is not given. */
export function createPluginContext(given: Partial<PluginContext> = {}): PluginContext {
  return Object.freeze({
    name: given.name,
    logger: given.logger ?? silentLogger,
    metrics: given.metrics ?? silentMeter,
    signal: given.signal ?? new AbortController().signal,
    clock: given.clock ?? systemClock,
    endpoints: given.endpoints ?? noEndpoints,
  });
}
