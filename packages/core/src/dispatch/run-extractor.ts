import type { Clock } from "../clock.ts";
import type { EndpointWriter } from "../endpoint.ts";
import { errorCodeOf, MusterError, messageOf } from "../errors.ts";
import type { Extractor } from "../extractor.ts";
import { formatTypedName } from "../names.ts";
import type { ExtractFailure } from "../source.ts";
import { LazySignal } from "./lazy-signal.ts";
import type { WriteHandle } from "./write-handle.ts";

/** How long an asynchronous extractor may take, ms: the original's 1 s. */
export const defaultExtractTimeout = 1000;

/** Options of {@link runExtractor}. */
export interface RunExtractorOptions<In> {
  /** The handle in `input`; revoked when the extractor is cut short. */
  readonly handle: WriteHandle;
  readonly input: (endpoint: EndpointWriter) => In;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** ms. */
  readonly timeout: number;
}

/**
 * Runs one extractor: nothing when it succeeded, otherwise the failure; never throws or rejects. A
 * synchronous extractor is run without a promise. An asynchronous one is cut short after `timeout`
 * ms, or when `signal` aborts: its handle is revoked, so that it cannot write late.
 */
export function runExtractor<In>(
  extractor: Extractor<In>,
  options: RunExtractorOptions<In>,
): ExtractFailure | undefined | Promise<ExtractFailure | undefined> {
  if (options.signal.aborted) return failure(extractor, stopped());
  const lazy = new LazySignal(options.signal);
  try {
    const running: unknown = extractor.extract(options.input(options.handle.endpoint), lazy);
    // a promise of another kind may break its contract; a native one stays as it is
    if (isThenable(running)) return supervise(extractor, Promise.resolve(running), lazy, options);
  } catch (error) {
    lazy.dispose();
    return failure(extractor, error);
  }
  lazy.dispose();
  return undefined;
}

/** Waits for an asynchronous extractor, its time-out or the abort, whichever is first. */
function supervise<In>(
  extractor: Extractor<In>,
  running: Promise<unknown>,
  lazy: LazySignal,
  options: RunExtractorOptions<In>,
): Promise<ExtractFailure | undefined> {
  const { signal, clock, timeout, handle } = options;
  return new Promise((resolve) => {
    const cutShort = (error: MusterError): void => {
      handle.revoke();
      lazy.abort(error);
      finish(failure(extractor, error));
    };
    const onAbort = (): void => cutShort(stopped());
    const cancel = clock.schedule(
      () => cutShort(new MusterError("EXTRACT_TIMEOUT", `no result after ${timeout} ms`)),
      timeout,
    );
    const finish = (result: ExtractFailure | undefined): void => {
      cancel();
      signal.removeEventListener("abort", onAbort);
      lazy.dispose();
      resolve(result);
    };
    running.then(
      () => finish(undefined),
      (error: unknown) => finish(failure(extractor, error)),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

function stopped(): MusterError {
  return new MusterError("EXTRACT_FAILED", "stopped: the endpoint was removed or polling ended");
}

function failure(extractor: Extractor<never>, error: unknown): ExtractFailure {
  return Object.freeze({
    extractor: extractor.typedName,
    code: errorCodeOf(error, "EXTRACT_FAILED"),
    message: `${formatTypedName(extractor.typedName)}: ${messageOf(error)}`,
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<PromiseLike<unknown>>).then === "function"
  );
}
