import { type Duration, isPort, parseDuration } from "@muster/core";
import * as z from "zod";

/** A duration between two bounds; read as ms. */
export function durationField(
  preset: Duration,
  shortest: Duration,
  longest: Duration,
): z.ZodPipe<
  z.ZodDefault<z.ZodUnion<readonly [z.ZodString, z.ZodNumber]>>,
  z.ZodTransform<number, string | number>
> {
  const [min = 0, max = 0] = [parseDuration(shortest), parseDuration(longest)];
  return z
    .union([z.string(), z.number()])
    .default(preset)
    .transform((given, context) => {
      const ms = parseDuration(given);
      if (ms !== undefined && ms >= min && ms <= max) return ms;
      context.addIssue(
        `must be a duration from ${shortest} to ${longest}, not ${JSON.stringify(given)}`,
      );
      return z.NEVER;
    });
}

/** Text that says something, up to so many characters. */
export function textField(limit: number): z.ZodString {
  return z.string().min(1).max(limit);
}

/** Where a store's servers are: a list, or text joined by commas. */
export function serversField(
  pattern: RegExp,
  forms: string,
): z.ZodType<string[], string | string[]> {
  const server = z
    .string()
    .max(300)
    .regex(pattern, `must be ${forms}; credentials have settings of their own`)
    .refine(hasUsablePort, "the port must be 1 to 65535");
  return z
    .union([z.string().transform((list) => list.split(",")), z.array(z.string())], {
      error: `must be ${forms}, or a list of them`,
    })
    .transform((list) => list.map((each) => each.trim()).filter((each) => each !== ""))
    .pipe(z.array(server).min(1, "must name at least one server").max(50));
}

function hasUsablePort(server: string): boolean {
  const [, port = "1"] = /:(\d+)\/?$/.exec(server) ?? [];
  return isPort(port);
}

/** How many changes wait for a slow reader; the queue has the default. */
export function queueLimitField(): z.ZodOptional<z.ZodInt> {
  return z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe("Changes that wait for a slow reader before they become one `Resync`.");
}
