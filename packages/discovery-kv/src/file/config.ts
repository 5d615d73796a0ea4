import type { Duration, StandardSchema } from "@muster/core";
import * as z from "zod";
import { durationField } from "../config-fields.ts";

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
  ttl: durationField("10s", "1s", "24h").describe(
    "How long records stay after their process died; the same for all processes.",
  ),
  pollInterval: durationField("1s", "50ms", "1h").describe(
    "How often watched directories are looked at, beside events: what finds changes where there are no events.",
  ),
});
