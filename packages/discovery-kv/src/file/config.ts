import {
  type Duration,
  formatIssuePath,
  MusterError,
  parseDuration,
  type StandardSchema,
} from "@muster/core";
import * as z from "zod";

/** What users configure of a file store. */
export interface FileStoreConfig {
  /** The directory that all processes share; relative to the working directory of the process. */
  readonly root: string;
  /**
   * How long records stay after their process died; 1 s to 24 h, default `10s`. The same for all
   * processes of one directory.
   */
  readonly ttl?: Duration | undefined;
  /**
   * How often watched directories are looked at, beside events; 50 ms to 1 h, default `1s`. What finds
   * changes where there are no events, such as on network file systems.
   */
  readonly pollInterval?: Duration | undefined;
}

/** {@link FileStoreConfig} with defaults; durations in ms. */
export interface FileStoreSettings {
  readonly root: string;
  readonly ttl: number;
  readonly pollInterval: number;
}

/** Checks a {@link FileStoreConfig}. */
export const fileStoreSchema: StandardSchema<FileStoreConfig, FileStoreSettings> = z.strictObject({
  root: z
    .string()
    .min(1)
    .refine((path) => !path.includes("\0"), "must not hold a NUL character")
    .describe("The directory that all processes share; relative to the working directory."),
  ttl: duration({ min: 1000, max: 24 * 3_600_000, range: "1s to 24h" })
    .default(10_000)
    .describe("How long records stay after their process died; the same for all processes."),
  pollInterval: duration({ min: 50, max: 3_600_000, range: "50ms to 1h" })
    .default(1000)
    .describe(
      "How often watched directories are looked at, beside events: what finds changes where there are no events.",
    ),
});

/**
 * Checks a {@link FileStoreConfig} and fills in defaults.
 *
 * @throws MusterError STORE_CONFIG
 */
export function readFileStoreConfig(config: FileStoreConfig): FileStoreSettings {
  const result = fileStoreSchema["~standard"].validate(config);
  if (result instanceof Promise) throw new TypeError("the schema of the file store is synchronous");
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ message, path }) => {
    const place = formatIssuePath(path);
    return new MusterError("STORE_CONFIG", `file store: ${place}: ${message}`, { path: place });
  });
  const text = problems.map(({ message }) => message).join("; ");
  throw new MusterError("STORE_CONFIG", text, { path: problems[0]?.path, problems });
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly range: string;
}

function duration({ min, max, range }: Range): z.ZodType<number, Duration> {
  return z.union([z.string(), z.number()]).transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= min && ms <= max) return ms;
    context.addIssue(`must be a duration from ${range}, not ${JSON.stringify(text)}`);
    return z.NEVER;
  });
}
