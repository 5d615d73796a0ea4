import { type Clock, MusterError, toMusterError } from "@muster/core";
import { completeUntil } from "./continuity.ts";
import type { Gateway } from "./gateway.ts";
import type { RangeView } from "./range-view.ts";
import type { WatchStream } from "./watch-stream.ts";

/** A stream that says nothing for so long is asked about on another connection, ms. */
const silence = 5000;
/** How long it may take to say what another connection knows already, ms. */
const grace = 1000;

/** What {@link watchOver} needs. */
export interface HeartbeatOptions {
  readonly stream: WatchStream;
  readonly view: RangeView;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Nobody answers, or the stream does not tell what others know. */
  onSilence(problem: MusterError): void;
}

/**
 * Tells a stream that has nothing to say from one that is dead: etcd's own signs of life are 10 minutes
 * apart, and half of a connection may live on for hours.
 *
 * @returns stops it
 */
export function watchOver(options: HeartbeatOptions): () => void {
  const heartbeat = new Heartbeat(options);
  heartbeat.start();
  return () => heartbeat.stop();
}

class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #stopped = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    const { stream, clock } = this.#options;
    const heardAt = stream.heardAt;
    this.#after(heardAt + silence - clock.monotonic(), () => {
      if (stream.heardAt === heardAt) void this.#ask(heardAt);
      else this.start();
    });
  }

  stop(): void {
    this.#cancel();
    this.#stopped.abort();
  }

  async #ask(heardAt: number): Promise<void> {
    const { stream, view, gateway, onSilence } = this.#options;
    const signal = this.#stopped.signal;
    try {
      const until = await completeUntil(gateway, view, { signal, once: true });
      if (signal.aborted) return;
      if (stream.heardAt !== heardAt) return this.start();
      if (until === undefined) return this.#wait(heardAt);
      view.advance(until);
      this.#after(silence, () => void this.#ask(stream.heardAt));
    } catch (error) {
      if (!signal.aborted) onSilence(toMusterError(error, "STORE_UNAVAILABLE"));
    }
  }

  #wait(heardAt: number): void {
    const { stream, onSilence } = this.#options;
    this.#after(grace, () => {
      if (stream.heardAt !== heardAt) return this.start();
      const message = "the watch does not tell of changes that are there: its connection is dead";
      onSilence(new MusterError("STORE_TIMEOUT", message));
    });
  }

  #after(ms: number, callback: () => void): void {
    this.#cancel = this.#options.clock.schedule(callback, Math.max(0, ms));
  }
}
