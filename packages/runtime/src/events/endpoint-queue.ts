import type { EventType } from "@muster/core";
import type { EndpointRecord } from "../store/endpoint-record.ts";

/** An event that waits for those before it. */
export interface QueuedEvent {
  readonly type: EventType;
  readonly record: EndpointRecord;
  /** The first of its record: a deletion that follows before it ran makes both void. */
  readonly isFirst: boolean;
}

/**
 * The events of one endpoint id, in order. Bounded however fast an endpoint comes and goes: updates
 * that wait are one (the event shows the endpoint as it is), and a record that came and went while
 * waiting is dropped. So at most a deletion and the creation of the record after it wait.
 */
export class EndpointQueue {
  readonly #waiting: QueuedEvent[] = [];

  push(event: QueuedEvent): void {
    const last = this.#waiting.at(-1);
    if (last?.record !== event.record) this.#waiting.push(event);
    else if (event.type === "Delete") {
      this.#waiting.pop();
      if (!last.isFirst) this.#waiting.push(event);
    }
  }

  shift(): QueuedEvent | undefined {
    return this.#waiting.shift();
  }
}
