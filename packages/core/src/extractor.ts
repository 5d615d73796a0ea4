import type { EndpointWriter } from "./endpoint.ts";
import type { EndpointEvent, NotificationEvent } from "./events.ts";
import type { GroupVersionKind } from "./names.ts";
import type { PayloadToken } from "./payload.ts";
import type { Plugin } from "./plugin.ts";

/** What an extractor gets beside its input. */
export interface ExtractOptions {
  /** Aborts at time-out, when the endpoint is removed, and at stop. */
  readonly signal: AbortSignal;
}

/**
 * Turns typed input into attributes and metrics of an endpoint. Failures are counted by extractor;
 * they never surface and never stop other extractors.
 */
export interface Extractor<In> extends Plugin {
  /**
   * Return nothing when the work is done, or a promise, which is timed out. The synchronous way costs
   * no promise. Throw a MusterError to have its code counted; anything else counts as EXTRACT_FAILED.
   */
  extract(input: In, options: ExtractOptions): void | Promise<void>;
  /** Drops state kept for an endpoint that is gone. */
  release?(endpointId: string): void;
}

/** One poll's payload and the endpoint it came from. */
export interface PollInput<P> {
  /** Usable whenever the poll succeeded; may be reused by the source after `extract` ended. */
  readonly payload: P;
  readonly endpoint: EndpointWriter;
}

/** An extractor fed by a polling source. */
export interface PollingExtractor<P> extends Extractor<PollInput<P>> {
  readonly variant: "polling";
  /** The payload it takes. */
  readonly payload: PayloadToken<P>;
  /** `freshness`: a poll makes the endpoint fresh when this extractor succeeded. */
  readonly provides?: "freshness" | undefined;
}

/** An extractor fed by changes of one Kubernetes kind. */
export interface NotificationExtractor extends Extractor<NotificationEvent> {
  readonly variant: "notification";
  /** Must equal the source's. */
  readonly gvk: GroupVersionKind;
}

/** An extractor fed by the coming and going of endpoints. */
export interface EndpointExtractor extends Extractor<EndpointEvent> {
  readonly variant: "endpoint";
}

/** An extractor of any kind, as the registrar takes it. */
export type AnyExtractor =
  // biome-ignore lint/suspicious/noExplicitAny: payloads differ; tokens are compared at wiring
  PollingExtractor<any> | NotificationExtractor | EndpointExtractor;
