import { type Duration, parseDuration } from "@muster/core";
import * as z from "zod";
import { isHostEntry } from "./targets/host-list.ts";

/** Headers the source or the transport sets, and those that carry credentials. */
const reserved =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|accept|accept-encoding)$/i;
const secret = /^(?:authorization|proxy-authorization|cookie)$/i;

/** The ms of a duration from 1 ms to 1 h. */
export function durationMs(value: Duration, context: z.RefinementCtx): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= 1 && ms <= 3_600_000) return ms;
  context.addIssue(`must be a duration from 1ms to 1h, not ${JSON.stringify(value)}`);
  return z.NEVER;
}

/** The path of a file. */
export function filePath(): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((path) => !path.includes("\0"), "must not hold a NUL character");
}

/** A list of hosts for a HostList. */
export function hostEntries(): z.ZodArray<z.ZodString> {
  const entry = z
    .string()
    .refine(
      isHostEntry,
      "must be an address, a range such as 10.0.0.0/8, a host name, *.name or *",
    );
  return z.array(entry).max(1024);
}

/** Headers to send; `secrets`: those that prove who we are may be among them. */
export function headerFields(secrets: boolean): z.ZodRecord<z.ZodString, z.ZodString> {
  const name = z
    .string()
    .max(256)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be a header name")
    .refine((text) => !reserved.test(text), "is set by the source itself")
    .refine(
      (text) => secrets || !secret.test(text),
      "carries credentials: put it under auth.headers",
    );
  const value = z
    .string()
    .max(8192)
    .regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII");
  return z
    .record(name, secrets ? value.meta({ writeOnly: true }) : value)
    .refine((headers) => Object.keys(headers).length <= 64, "must be at most 64 headers");
}
