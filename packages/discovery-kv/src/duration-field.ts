import { parseDuration } from "@muster/core";
import * as z from "zod";

/** A duration in a store's config: Go's text or ms, between two bounds; read as ms. */
export function durationField(
  preset: string,
  min: number,
  max: number,
): z.ZodPipe<
  z.ZodDefault<z.ZodUnion<readonly [z.ZodString, z.ZodNumber]>>,
  z.ZodTransform<number, string | number>
> {
  return z
    .union([z.string(), z.number()])
    .default(preset)
    .transform((given, context) => {
      const ms = parseDuration(given);
      if (ms !== undefined && ms >= min && ms <= max) return ms;
      context.addIssue(
        `must be a duration from ${min} ms to ${max} ms, not ${JSON.stringify(given)}`,
      );
      return z.NEVER;
    });
}
