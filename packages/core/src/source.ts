import type { EndpointWriter } from "./endpoint.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { EndpointEvent, NotificationEvent } from "./events.ts";
import type { PollingExtractor } from "./extractor.ts";
import type { GroupVersionKind, TypedName } from "./names.ts";
import type { ObjectWatcher } from "./object-watcher.ts";
import type { PayloadToken } from "./payload.ts";
import type { Plugin } from "./plugin.ts";

/** How one poll of one endpoint went, once the poll itself succeeded. */
export interface DispatchResult {
  /** The extractors that succeeded, in append order. */
  readonly extracted: readonly TypedName[];
  readonly failed: readonly ExtractFailure[];
}

/** An extractor that failed, and why. */
export interface ExtractFailure {
  readonly extractor: TypedName;
  readonly code: ErrorCode;
  /** For people; may quote the page. */
  readonly message: string;
}

/** A source that asks each endpoint again and again: the seed's PollingDispatcher. */
export interface PollingSource<P> extends Plugin {
  readonly variant: "polling";
  /** The payload it gives. */
  readonly payload: PayloadToken<P>;
  /** Wanted ms between two polls of one endpoint; unset: every tick of the runtime. */
  readonly interval?: number | undefined;
  readonly extractors: readonly PollingExtractor<P>[];
  /**
   * Binds an extractor, after those bound before. A pure append: detecting duplicates is the caller's.
   *
   * @throws MusterError EXTRACTOR_INCOMPATIBLE when its payload is not the source's.
   */
  appendExtractor(extractor: PollingExtractor<P>): void;
  /**
   * Polls one endpoint, then runs the extractors in append order, each step under its own time-out.
   * Rejects only when the poll failed, with a MusterError.
   */
  dispatch(endpoint: EndpointWriter, options: { signal: AbortSignal }): Promise<DispatchResult>;
  /**
   * Drops state kept for an endpoint that is gone, by the source and by all its extractors; throws
   * the first failure of an extractor afterwards.
   */
  release?(endpointId: string): void;
}

/** A source fed by the changes of one Kubernetes kind; the runtime owns the watch. */
export interface NotificationSource extends Plugin {
  readonly variant: "notification";
  readonly gvk: GroupVersionKind;
  /**
   * Watches the objects when no object watcher is configured; sources that bring one share that of the
   * first. The runtime stops it.
   */
  readonly defaultWatcher?: ObjectWatcher | undefined;
  /** The event for the extractors, the same or another; nothing to skip them. */
  notify(
    event: NotificationEvent,
    options: { signal: AbortSignal },
  ): NotificationEvent | undefined | Promise<NotificationEvent | undefined>;
}

/** A source fed by the coming and going of endpoints. */
export interface EndpointSource extends Plugin {
  readonly variant: "endpoint";
  /** The event for the extractors, the same or another; nothing to skip them. */
  notifyEndpoint(
    event: EndpointEvent,
    options: { signal: AbortSignal },
  ): EndpointEvent | undefined | Promise<EndpointEvent | undefined>;
}

/** Provides raw data to extractors; `variant` says which of the three it is. */
export type DataSource =
  // biome-ignore lint/suspicious/noExplicitAny: payloads differ; tokens are compared at wiring
  PollingSource<any> | NotificationSource | EndpointSource;
