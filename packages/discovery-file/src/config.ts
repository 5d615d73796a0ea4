import { type Duration, parseDuration, type StandardSchema } from "@muster/core";
import * as z from "zod";

/** What users configure of a file discovery. */
export interface FileDiscoveryConfig {
  /** The file; a relative path is taken from the working directory of the process. */
  readonly path: string;
  /** Follow changes of the file; default false: it is read once. */
  readonly watchFile?: boolean | undefined;
  /**
   * How often a watched file's status is looked at, beside events; 50 ms to 1 h, default `500ms`.
   * What finds changes where there are no events, such as on network file systems.
   */
  readonly pollInterval?: Duration | undefined;
}

/** {@link FileDiscoveryConfig} with defaults; `pollInterval` in ms. */
export interface FileDiscoverySettings {
  readonly path: string;
  readonly watchFile: boolean;
  readonly pollInterval: number;
}

const minPoll = 50;
const maxPoll = 3_600_000;

/** Checks a {@link FileDiscoveryConfig}. */
export const configSchema: StandardSchema<FileDiscoveryConfig, FileDiscoverySettings> =
  z.strictObject({
    path: z
      .string()
      .min(1)
      .refine((path) => !path.includes("\0"), "must not hold a NUL character")
      .describe("The file of endpoints, YAML or JSON; relative to the working directory."),
    watchFile: z
      .boolean()
      .default(false)
      .describe("Follow changes of the file; otherwise it is read once, at start."),
    pollInterval: z
      .union([z.string(), z.number()])
      .default("500ms")
      .describe(
        "How often a watched file's status is looked at, beside events: what finds changes where there are no events.",
      )
      .transform(pollMilliseconds),
  });

function pollMilliseconds(duration: Duration, context: z.RefinementCtx): number {
  const ms = parseDuration(duration);
  if (ms !== undefined && ms >= minPoll && ms <= maxPoll) return ms;
  context.addIssue(`must be a duration from 50ms to 1h, not ${JSON.stringify(duration)}`);
  return z.NEVER;
}
