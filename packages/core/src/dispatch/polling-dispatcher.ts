import { type Clock, systemClock } from "../clock.ts";
import type { EndpointWriter } from "../endpoint.ts";
import { MusterError, toMusterError } from "../errors.ts";
import type { PollInput, PollingExtractor } from "../extractor.ts";
import { formatTypedName, type TypedName } from "../names.ts";
import { equalPayloadTokens, type PayloadToken } from "../payload.ts";
import { producedAttributes } from "../produced-attributes.ts";
import type { DispatchResult, ExtractFailure, PollingSource } from "../source.ts";
import { defaultExtractTimeout, runExtractor } from "./run-extractor.ts";
import { createWriteHandle, type WriteHandle } from "./write-handle.ts";

/** What {@link createPollingDispatcher} needs: the part that differs from source to source. */
export interface PollingDispatcherInit<P> {
  readonly typedName: TypedName;
  readonly payload: PayloadToken<P>;
  /** Wanted ms between polls; unset: every tick. */
  readonly interval?: number | undefined;
  /** Gets the payload; brings its own time-out; rejects with a MusterError when the poll failed. */
  poll(endpoint: EndpointWriter, options: { signal: AbortSignal }): Promise<P>;
  /** ms an asynchronous extractor may take; default 1,000. */
  readonly extractTimeout?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Told of each extractor bound. */
  onAppend?(extractor: PollingExtractor<P>): void;
  release?(endpointId: string): void;
  stop?(): void | Promise<void>;
}

/** Makes a polling source from a poll function: binds, orders, times and isolates the extractors. */
export function createPollingDispatcher<P>(init: PollingDispatcherInit<P>): PollingSource<P> {
  return new PollingDispatcher(init);
}

interface Binding<P> {
  readonly extractor: PollingExtractor<P>;
  readonly attributes: ReadonlySet<string> | undefined;
}

class PollingDispatcher<P> implements PollingSource<P> {
  readonly variant = "polling";
  readonly typedName: TypedName;
  readonly payload: PayloadToken<P>;
  readonly interval: number | undefined;
  readonly #init: PollingDispatcherInit<P>;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #bindings: Binding<P>[] = [];
  /** One handle per endpoint and extractor, kept from poll to poll: no allocation on the hot path. */
  #handles = new WeakMap<EndpointWriter, WriteHandle[]>();

  constructor(init: PollingDispatcherInit<P>) {
    this.typedName = init.typedName;
    this.payload = init.payload;
    this.interval = init.interval;
    this.#init = init;
    this.#clock = init.clock ?? systemClock;
    this.#timeout = init.extractTimeout ?? defaultExtractTimeout;
  }

  get extractors(): readonly PollingExtractor<P>[] {
    return this.#bindings.map((binding) => binding.extractor);
  }

  appendExtractor(extractor: PollingExtractor<P>): void {
    if (extractor.variant !== "polling" || !equalPayloadTokens(extractor.payload, this.payload))
      throw new MusterError(
        "EXTRACTOR_INCOMPATIBLE",
        `extractor ${formatTypedName(extractor.typedName)} takes ${extractor.payload?.name ?? `${extractor.variant} events`}, ` +
          `source ${formatTypedName(this.typedName)} gives ${this.payload.name}`,
        { plugin: extractor.typedName },
      );
    this.#bindings.push({ extractor, attributes: producedAttributes(extractor) });
    this.#handles = new WeakMap();
    this.#init.onAppend?.(extractor);
  }

  async dispatch(
    endpoint: EndpointWriter,
    options: { signal: AbortSignal },
  ): Promise<DispatchResult> {
    const payload = await this.#init.poll(endpoint, options);
    const handles = this.#handlesOf(endpoint);
    const input = (handle: EndpointWriter): PollInput<P> => ({ payload, endpoint: handle });
    const extracted: TypedName[] = [];
    const failed: ExtractFailure[] = [];
    for (const [index, { extractor, attributes }] of this.#bindings.entries()) {
      const handle = liveHandle(handles, index, endpoint, attributes);
      const run = {
        handle,
        input,
        signal: options.signal,
        clock: this.#clock,
        timeout: this.#timeout,
      };
      const outcome = runExtractor(extractor, run);
      const result = outcome instanceof Promise ? await outcome : outcome;
      if (result === undefined) extracted.push(extractor.typedName);
      else failed.push(result);
    }
    return { extracted, failed };
  }

  release(endpointId: string): void {
    const problems: MusterError[] = [];
    for (const { extractor } of this.#bindings)
      try {
        extractor.release?.(endpointId);
      } catch (error) {
        // the others have state of their own to drop
        const plugin = extractor.typedName;
        problems.push(toMusterError(error, "EXTRACT_FAILED", { plugin }));
      }
    this.#init.release?.(endpointId);
    const [first] = problems;
    if (first !== undefined) throw first;
  }

  stop(): void | Promise<void> {
    return this.#init.stop?.();
  }

  #handlesOf(endpoint: EndpointWriter): WriteHandle[] {
    const known = this.#handles.get(endpoint);
    if (known !== undefined) return known;
    const handles: WriteHandle[] = [];
    this.#handles.set(endpoint, handles);
    return handles;
  }
}

function liveHandle(
  handles: WriteHandle[],
  index: number,
  endpoint: EndpointWriter,
  attributes: ReadonlySet<string> | undefined,
): WriteHandle {
  const known = handles[index];
  if (known !== undefined && !known.revoked) return known;
  const handle = createWriteHandle(endpoint, { attributes });
  handles[index] = handle;
  return handle;
}
