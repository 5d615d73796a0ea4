import { type Clock, MusterError, toMusterError } from "@muster/core";
import type { KubeApi, KubeQuery } from "../api/kube-api.ts";
import { watchError } from "../api/kube-error.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { KnownObjects } from "./known-objects.ts";
import { isKubeObject, type KubeObject } from "./kube-object.ts";

/** What a watch needs. */
export interface WatchOptions<T extends KubeObject> {
  readonly api: KubeApi;
  readonly path: string;
  /** Selectors. */
  readonly query: KubeQuery;
  readonly resourceVersion: string;
  readonly known: KnownObjects<T>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** ms for the head of the answer. */
  readonly answer: number;
  /** ms after which the server is to end it. */
  readonly timeout: number;
  /** ms without a line after which it is taken for dead. */
  readonly silence: number;
  /** ms after which it is ended here, for a new list. */
  readonly limit: number;
  readonly parse: ((text: string) => unknown) | undefined;
  readonly onMalformed: () => void;
  readonly onOpen: () => void;
  /** After each line, with where the watch is now. */
  readonly onProgress: (resourceVersion: string) => void;
}

/** How a watch ended. */
export interface WatchEnd {
  /** Where the next one may go on. */
  readonly resourceVersion: string;
  /** Why everything has to be listed again. */
  readonly problem: MusterError | undefined;
  /** The server ended it in order, but before its time: it may have had a reason. */
  readonly early: boolean;
}

/** Raised to end a watch from within; not a fault. */
const timeUp: unique symbol = Symbol("time is up");

/** ms by which a server may be late to end a watch. */
const grace = 30_000;

/** Follows changes from a revision until the watch ends; never rejects. */
export async function watchObjects<T extends KubeObject>(
  options: WatchOptions<T>,
): Promise<WatchEnd> {
  return await new Watch(options).run();
}

class Watch<T extends KubeObject> {
  readonly #options: WatchOptions<T>;
  readonly #ending = new AbortController();
  readonly #seconds: number;
  readonly #started: number;
  #resourceVersion: string;
  #problem: MusterError | undefined;
  #lastLine: number;

  constructor(options: WatchOptions<T>) {
    this.#options = options;
    this.#resourceVersion = options.resourceVersion;
    this.#seconds = Math.max(1, Math.ceil(options.timeout / 1000));
    this.#started = options.clock.monotonic();
    this.#lastLine = this.#started;
  }

  async run(): Promise<WatchEnd> {
    const { clock, signal, limit } = this.#options;
    const abort = (): void => this.#ending.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const longest = Math.min(limit, this.#seconds * 1000 + grace);
    const timers = [
      clock.schedule(() => this.#ending.abort(timeUp), longest),
      this.#watchSilence(),
    ];
    let early = false;
    try {
      await this.#stream();
      early = clock.monotonic() - this.#started < this.#seconds * 900;
    } catch (error) {
      if (error !== timeUp && !signal.aborted)
        this.#problem ??= toMusterError(error, "KUBE_UNAVAILABLE");
    } finally {
      for (const cancel of timers) cancel();
      signal.removeEventListener("abort", abort);
    }
    return { resourceVersion: this.#resourceVersion, problem: this.#problem, early };
  }

  #stream(): Promise<void> {
    const { api, path, query, answer, onOpen } = this.#options;
    return api.stream({
      path,
      query: {
        ...query,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: this.#resourceVersion,
        timeoutSeconds: this.#seconds,
      },
      signal: this.#ending.signal,
      timeout: answer,
      onOpen,
      onLine: (line) => this.#onLine(line),
      onTooLong: () => this.#doubt("a line of the watch is too long"),
    });
  }

  /** Looks again whenever the last line could have become too old. */
  #watchSilence(): () => void {
    const { clock, silence, path } = this.#options;
    let cancel: () => void;
    const look = (): void => {
      const left = this.#lastLine + silence - clock.monotonic();
      if (left > 0) cancel = clock.schedule(look, left);
      else
        this.#fail(
          new MusterError("KUBE_TIMEOUT", `WATCH ${path}: silent for ${silence} ms, begun anew`),
        );
    };
    cancel = clock.schedule(look, silence);
    return () => cancel();
  }

  #onLine(line: string): void {
    // what comes after an ERROR event belongs to nobody
    if (this.#problem !== undefined || this.#ending.signal.aborted) return;
    this.#lastLine = this.#options.clock.monotonic();
    const event = parseEvent(line, this.#options.parse);
    if (event === undefined) this.#doubt("a line of the watch is no event");
    else this.#apply(event);
    this.#options.onProgress(this.#resourceVersion);
  }

  #apply({ type, object }: { type: string; object: unknown }): void {
    const { known, path, onMalformed } = this.#options;
    if (type === "ERROR") this.#fail(watchError(path, object));
    else if (type === "BOOKMARK") this.#advance(object);
    else if (!isKubeObject(object)) this.#doubt(`an event ${type} of the watch has no object`);
    else if (type === "DELETED") {
      known.delete(object as T);
      this.#advance(object);
    } else if (type === "ADDED" || type === "MODIFIED") {
      known.upsert(deepFreeze(object) as T);
      this.#advance(object);
    } else onMalformed();
  }

  #advance(object: unknown): void {
    const version = (object as { metadata?: { resourceVersion?: unknown } | null } | null)?.metadata
      ?.resourceVersion;
    if (typeof version === "string" && version !== "") this.#resourceVersion = version;
  }

  /** Something was said that cannot be understood: what it changed is only in a new list. */
  #doubt(what: string): void {
    this.#options.onMalformed();
    this.#fail(new MusterError("KUBE_RESPONSE", `WATCH ${this.#options.path}: ${what}`));
  }

  #fail(problem: MusterError): void {
    this.#problem ??= problem;
    this.#ending.abort(timeUp);
  }
}

function parseEvent(
  line: string,
  parse: (text: string) => unknown = JSON.parse,
): { type: string; object: unknown } | undefined {
  try {
    const { type, object } = parse(line) as { type?: unknown; object?: unknown };
    return typeof type === "string" ? { type, object } : undefined;
  } catch {
    // garbage between events: the caller lists anew
    return undefined;
  }
}
