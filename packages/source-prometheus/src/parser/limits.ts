import { MusterError } from "@muster/core";

/** What one page may cost; the size of the body is the transport's to limit. */
export interface ParseLimits {
  /** Bytes of a line that is wanted; longer ones are skipped and counted. Default 1 MiB. */
  readonly maxLineBytes: number;
  /** Samples of wanted families; default 200,000. */
  readonly maxSamples: number;
  /** Distinct metric names among wanted lines; default 20,000. */
  readonly maxNames: number;
}

/** The defaults of {@link ParseLimits}. */
export const defaultParseLimits: ParseLimits = Object.freeze({
  maxLineBytes: 1024 * 1024,
  maxSamples: 200_000,
  maxNames: 20_000,
});

/** The error for a page beyond a limit. */
export function limitError(limit: "maxSamples" | "maxNames", value: number): MusterError {
  const what = limit === "maxSamples" ? "samples" : "metric names";
  return new MusterError(
    "PARSE_LIMIT",
    `the page has more than ${value} ${what} of the wanted families: ask for fewer families or raise limits.${limit}`,
  );
}
