import {
  type AnyExtractor,
  type EndpointEvent,
  type EndpointSource,
  producedAttributes,
} from "@muster/core";
import { createWriteHandle } from "@muster/core/dispatch";
import type { EndpointRecord } from "../store/endpoint-record.ts";
import type { StoreListener } from "../store/record-store.ts";
import type { WiredSource } from "../wiring/wiring.ts";
import { EndpointQueue, type QueuedEvent } from "./endpoint-queue.ts";
import type { EventRunner } from "./event-runner.ts";

interface EndpointWiring {
  readonly source: EndpointSource;
  readonly extractors: readonly AnyExtractor[];
}

/**
 * Takes the coming and going of endpoints to the endpoint sources. Events of one endpoint run in
 * order, one after the other through every source; those of different endpoints side by side. They
 * run after the change, never within it, so that no plugin holds up the store.
 */
export class EndpointEvents implements StoreListener {
  readonly #wirings: readonly EndpointWiring[];
  readonly #extractors: readonly AnyExtractor[];
  readonly #runner: EventRunner;
  readonly #queues = new Map<string, EndpointQueue>();
  /** What runs, and how to cut it short. */
  readonly #draining = new Map<Promise<void>, AbortController>();
  #stopped = false;

  constructor(sources: readonly WiredSource[], runner: EventRunner) {
    this.#wirings = sources.flatMap(({ source, extractors }) =>
      source.variant === "endpoint"
        ? [{ source, extractors: extractors.map(({ extractor }) => extractor) }]
        : [],
    );
    this.#extractors = this.#wirings.flatMap(({ extractors }) => extractors);
    this.#runner = runner;
  }

  added(record: EndpointRecord): void {
    this.#push({ type: "AddOrUpdate", record, isFirst: true });
  }

  updated(record: EndpointRecord): void {
    this.#push({ type: "AddOrUpdate", record, isFirst: false });
  }

  removed(record: EndpointRecord): void {
    this.#push({ type: "Delete", record, isFirst: false });
  }

  /** Drops what waits, cuts short what runs, and resolves when nothing does any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const controller of this.#draining.values()) controller.abort();
    await Promise.all(this.#draining.keys());
  }

  #push(event: QueuedEvent): void {
    if (this.#stopped || this.#wirings.length === 0) return;
    const { id } = event.record;
    const queue = this.#queues.get(id);
    if (queue !== undefined) {
      queue.push(event);
      return;
    }
    const started = new EndpointQueue();
    started.push(event);
    this.#queues.set(id, started);
    const controller = new AbortController();
    const drained = this.#drain(id, started, controller.signal).finally(() =>
      this.#draining.delete(drained),
    );
    this.#draining.set(drained, controller);
  }

  async #drain(id: string, queue: EndpointQueue, signal: AbortSignal): Promise<void> {
    // leaves the call that changed the store
    await Promise.resolve();
    for (let next = queue.shift(); next !== undefined && !this.#stopped; next = queue.shift()) {
      for (const wiring of this.#wirings) await this.#run(next, wiring, signal);
      if (next.type === "Delete") this.#runner.release(this.#extractors, id);
    }
    this.#queues.delete(id);
  }

  #run(
    { type, record }: QueuedEvent,
    { source, extractors }: EndpointWiring,
    signal: AbortSignal,
  ): Promise<void> {
    const handle = record.handle(producedAttributes(source));
    return this.#runner.run<EndpointEvent>(
      {
        source,
        extractors,
        signal,
        subject: record.id,
        notify: (options) =>
          source.notifyEndpoint(Object.freeze({ type, endpoint: handle.endpoint }), options),
        give(event, extractor) {
          const attributes = producedAttributes(extractor);
          // not through the source's handle, which may write the source's attributes only
          const own =
            event.endpoint === handle.endpoint
              ? record.handle(attributes)
              : createWriteHandle(event.endpoint, { attributes });
          return {
            input: Object.freeze({ type: event.type, endpoint: own.endpoint }),
            handle: own,
          };
        },
      },
      handle,
    );
  }
}
