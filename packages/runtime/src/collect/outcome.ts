import type { DispatchResult, ExtractFailure, TypedName } from "@muster/core";

/** Whether a source keeps to the contract: it may be anybody's. */
export function isDispatchResult(result: unknown): result is DispatchResult {
  const failed = (result as Partial<DispatchResult> | null | undefined)?.failed;
  return Array.isArray(failed) && failed.every(isFailure);
}

function isFailure(value: unknown): boolean {
  const { extractor, code } = (value ?? {}) as Partial<ExtractFailure>;
  return (
    typeof extractor?.type === "string" &&
    typeof extractor.name === "string" &&
    typeof code === "string"
  );
}

/**
 * What kept a poll from making its endpoint fresh: the failure of the first extractor that provides
 * freshness, when all of them failed. `undefined`: nothing; a source without any such extractor only
 * has to be polled.
 */
export function blockedBy(
  { failed }: DispatchResult,
  providers: readonly TypedName[],
): ExtractFailure | undefined {
  if (failed.length === 0 || providers.length === 0) return undefined;
  let first: ExtractFailure | undefined;
  for (const provider of providers) {
    const failure = failed.find(({ extractor }) => sameName(extractor, provider));
    if (failure === undefined) return undefined;
    first ??= failure;
  }
  return first;
}

function sameName(a: TypedName, b: TypedName): boolean {
  return a === b || (a.type === b.type && a.name === b.name);
}
