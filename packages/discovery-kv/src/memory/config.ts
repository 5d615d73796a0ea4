import type { StandardSchema } from "@muster/core";
import * as z from "zod";

/** What users configure of a memory store. */
export interface MemoryStoreConfig {
  /** Stores of one name share their keys, within this process; default `default`. */
  readonly registry?: string | undefined;
}

/** Checks a {@link MemoryStoreConfig}. */
export const memoryStoreSchema: StandardSchema<MemoryStoreConfig, { readonly registry: string }> =
  z.strictObject({
    registry: z
      .string()
      .min(1)
      .max(253)
      .default("default")
      .describe("Stores of one name share their keys, within this process."),
  });
