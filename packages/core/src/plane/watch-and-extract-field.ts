import { type MusterError, toMusterError } from "../errors.ts";
import type { DiscoveryStream, WaitOptions } from "./discovery.ts";
import { type FieldExtraction, FieldMap } from "./field-map.ts";
import { onAbort } from "./on-abort.ts";
import { createPullStream, type PullStream } from "./pull-stream.ts";

/** Options of {@link watchAndExtractField}. */
export interface FieldWatchOptions<Card, Value> extends FieldExtraction<Card, Value> {
  /** Stops it. */
  readonly signal?: AbortSignal | undefined;
}

/** A field of the models of a stream, by instance id. */
export interface FieldWatch<Value> {
  /** As it is now; the map does not change afterwards. Empty at first. */
  readonly current: ReadonlyMap<bigint, Value>;
  /** The present map, then the latest after each change; a slow reader misses those in between. */
  changes(options?: WaitOptions): AsyncIterableIterator<ReadonlyMap<bigint, Value>>;
  /**
   * Resolves when the stream has ended or failed (with the reason), or it was stopped; never rejects.
   * The last map stays.
   */
  readonly done: Promise<MusterError | undefined>;
  /** Stops it and returns the stream. Idempotent. */
  stop(): void;
}

/**
 * Follows one field of the cards of all models in a stream. Of an instance with several records, its
 * adapters, the one added last counts; when that goes, the one before counts again, so that unloading
 * an adapter does not lose the worker [dynamo#7758].
 */
export function watchAndExtractField<Card, Value>(
  stream: DiscoveryStream,
  options: FieldWatchOptions<Card, Value>,
): FieldWatch<Value> {
  return new FieldFollower(stream, new FieldMap(options, false), options.signal);
}

/** {@link watchAndExtractField} of base models only; adapters do not count at all. */
export function watchAndExtractBaseModelField<Card, Value>(
  stream: DiscoveryStream,
  options: FieldWatchOptions<Card, Value>,
): FieldWatch<Value> {
  return new FieldFollower(stream, new FieldMap(options, true), options.signal);
}

type Reader<Value> = PullStream<ReadonlyMap<bigint, Value>>;

class FieldFollower<Card, Value> implements FieldWatch<Value> {
  readonly done: Promise<MusterError | undefined>;
  readonly #stream: DiscoveryStream;
  readonly #fields: FieldMap<Card, Value>;
  /** Who follows the changes, by whether the present map is news to them. */
  readonly #readers = new Map<{ news: boolean }, Reader<Value>>();
  readonly #unlink: () => void;
  #current: ReadonlyMap<bigint, Value> | undefined;
  #untold = false;
  #problem: MusterError | undefined;
  #stopped = false;
  #ended = false;

  constructor(
    stream: DiscoveryStream,
    fields: FieldMap<Card, Value>,
    signal: AbortSignal | undefined,
  ) {
    this.#stream = stream;
    this.#fields = fields;
    this.#unlink = onAbort(signal, () => this.stop());
    this.done = this.#run();
  }

  get current(): ReadonlyMap<bigint, Value> {
    this.#current ??= this.#fields.snapshot();
    return this.#current;
  }

  changes(options: WaitOptions = {}): AsyncIterableIterator<ReadonlyMap<bigint, Value>> {
    const state = { news: true };
    const pull = (): ReadonlyMap<bigint, Value> | undefined => {
      if (!state.news) return undefined;
      state.news = false;
      return this.current;
    };
    const reader = createPullStream({
      pull,
      signal: options.signal,
      onClose: () => void this.#readers.delete(state),
    });
    if (this.#ended) reader.end();
    else if (!reader.closed) this.#readers.set(state, reader);
    return reader.stream;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    Promise.resolve(this.#stream.return?.()).catch((error: unknown) => {
      this.#problem = toMusterError(error, "INTERNAL");
    });
  }

  async #run(): Promise<MusterError | undefined> {
    try {
      await this.#follow();
    } catch (error) {
      this.#problem = toMusterError(error, "INTERNAL");
    }
    this.#ended = true;
    this.#unlink();
    this.#tell();
    for (const reader of [...this.#readers.values()]) reader.end();
    return this.#problem;
  }

  async #follow(): Promise<void> {
    let next = this.#stream.next();
    for (;;) {
      const { done, value } = await next;
      if (done === true || this.#stopped) return;
      this.#fields.apply(value);
      this.#current = undefined;
      this.#untold = true;
      next = this.#stream.next();
      // a copy for each of many events at once would cost the square of their number
      if (!(await settlesSoon(next))) this.#tell();
    }
  }

  #tell(): void {
    if (!this.#untold) return;
    this.#untold = false;
    for (const [state, reader] of this.#readers) {
      state.news = true;
      reader.wake();
    }
  }
}

/** Whether a promise is settled already, or as good as. */
async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  promise.then(settle, settle);
  // an async generator takes three turns to hand on what it has
  for (let turn = 0; turn < 4 && !settled; turn++) await undefined;
  return settled;
}
