import {
  type Clock,
  delay,
  errorCodeOf,
  MusterError,
  messageOf,
  toMusterError,
} from "@muster/core";
import { onAbort } from "@muster/core/plane";
import { backOff } from "../back-off.ts";
import type { Interruptions } from "../interruptions.ts";
import type { BulkReader } from "./bulk-reader.ts";
import type { Connections } from "./connections.ts";
import { isContinuous } from "./continuity.ts";
import type { Credentials } from "./credentials.ts";
import type { EndpointList } from "./endpoint.ts";
import type { Gateway } from "./gateway.ts";
import { watchOver } from "./heartbeat.ts";
import { readRange } from "./range-reader.ts";
import type { RangeView, ViewChange } from "./range-view.ts";
import { openWatchStream } from "./watch-stream.ts";
import { toNumber, type WatchResponse } from "./wire.ts";

/** A stream that lived so long was no failure, ms. */
const lived = 5000;

/** What {@link followRange} needs. */
export interface RangeWatchOptions {
  readonly gateway: Gateway;
  readonly bulk: BulkReader;
  /** One for each watch. */
  readonly connections: Connections;
  readonly endpoints: EndpointList;
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly timeout: number;
  readonly view: RangeView;
  /** Ends it. */
  readonly signal: AbortSignal;
  onChange(change: ViewChange): void;
  /** A stream ended, as streams do. */
  onStreamEnd(problem: MusterError): void;
  /** Something may have been missed: the view was read anew. */
  onResync(): void;
  /** After the end of one the resync comes next, if there is one. */
  readonly interruptions: Interruptions;
}

/**
 * Keeps a view of a range up to date, from the revision that it has. Whatever ends the stream, it goes
 * on where it was if the store's history is the same, and reads everything anew if not. A stream that
 * has died without a sign is found within 5 s and the time for a call.
 */
export async function followRange(options: RangeWatchOptions): Promise<void> {
  const watch = new RangeWatch(options);
  await watch.run();
}

class RangeWatch {
  readonly #options: RangeWatchOptions;
  #failures = 0;
  /** What the stream told could not be taken in, and would not be when it is told again. */
  #indigestible = false;

  constructor(options: RangeWatchOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal, clock } = this.#options;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const problem = await this.#follow().catch((error: unknown) =>
        toMusterError(error, "STORE_UNAVAILABLE"),
      );
      if (signal.aborted) return;
      this.#options.onStreamEnd(problem);
      if (clock.monotonic() - startedAt > lived) this.#failures = 0;
      // the first one is tried again at once: a server that restarts, a proxy that ends idle connections
      if (this.#failures > 0) {
        this.#options.interruptions.begin(problem);
        await delay(clock, backOff(this.#failures - 1), signal);
      }
      this.#failures += 1;
      if (!signal.aborted) await this.#catchUp();
    }
  }

  /** Makes sure that the stream can go on from the view's revision; tries until it is. */
  async #catchUp(): Promise<void> {
    const { signal, clock, gateway, view, interruptions } = this.#options;
    while (!signal.aborted) {
      try {
        const options = { signal, once: true };
        if (!this.#indigestible && (await isContinuous(gateway, view, options))) return;
        const snapshot = await readRange(this.#options, view.range, options);
        view.replace(snapshot);
        this.#indigestible = false;
        interruptions.end();
        this.#options.onResync();
        return;
      } catch (error) {
        if (signal.aborted) return;
        interruptions.begin(toMusterError(error, "STORE_UNAVAILABLE"));
        await delay(clock, backOff(this.#failures++), signal);
      }
    }
  }

  /** Follows one stream to its end; resolves to why it ended. */
  async #follow(): Promise<MusterError> {
    const { credentials, endpoints, view, signal } = this.#options;
    const token = await credentials?.token();
    const endpoint = endpoints.current;
    return new Promise((resolve) => {
      const end = (problem: MusterError): void => {
        unlink();
        stopHeartbeat();
        stream.close();
        resolve(problem);
      };
      const stream = openWatchStream({
        ...this.#options,
        endpoint,
        token,
        request: {
          key: view.range.key,
          range_end: view.range.range_end,
          start_revision: String(view.revision + 1),
          progress_notify: true,
          fragment: true,
        },
        onResponse: (response) => {
          const problem = this.#take(response);
          if (problem !== undefined) end(problem);
        },
        onEnd: (problem) => {
          endpoints.leave(endpoint);
          end(problem);
        },
      });
      const stopHeartbeat = watchOver({ ...this.#options, stream, onSilence: end });
      const unlink = onAbort(signal, () => {
        stopHeartbeat();
        stream.close();
        resolve(new MusterError("STORE_CLOSED", "the watch is closed"));
      });
    });
  }

  /** Takes a response in; returns why the stream cannot go on, if it cannot. */
  #take(response: WatchResponse): MusterError | undefined {
    const { view, onChange, interruptions } = this.#options;
    const { created, canceled, events = [], fragment, header } = response;
    if (canceled) return cancelled(response);
    try {
      if (created) {
        if (!view.continues(header)) return otherHistory();
        interruptions.end();
      }
      for (const event of events) {
        const change = view.apply(event);
        if (change !== undefined) onChange(change);
      }
      // a progress notification is no proof: etcd before 3.4.25 may send it ahead of events
      if (!fragment) view.advance(toNumber(events.at(-1)?.kv?.mod_revision));
      return undefined;
    } catch (error) {
      this.#indigestible = true;
      const message = `a watch response cannot be read: ${messageOf(error)}`;
      return new MusterError(errorCodeOf(error, "STORE_RESPONSE"), message, { cause: error });
    }
  }
}

function cancelled({ compact_revision, cancel_reason }: WatchResponse): MusterError {
  const why =
    compact_revision === undefined
      ? (cancel_reason ?? "no reason given")
      : `everything before revision ${compact_revision} was compacted`;
  return new MusterError("STORE_UNAVAILABLE", `etcd cancelled the watch: ${why}`);
}

function otherHistory(): MusterError {
  return new MusterError(
    "STORE_UNAVAILABLE",
    "etcd holds another history than before: it was wiped or restored",
  );
}
