import type { Duration, StandardSchema } from "@muster/core";
import * as z from "zod";
import { durationField, queueLimitField, serversField, textField } from "../config-fields.ts";
import { type StoreTlsConfig, tlsOrBoolean } from "../tls-config.ts";

/**
 * What users configure of a NATS store. Experimental: this and the layout of the bucket may change in
 * a minor release.
 */
export interface NatsStoreConfig {
  /** `nats://host:port`, `tls://host:port` or `host:port`, one or several of a cluster. */
  readonly servers: string | readonly string[];
  /**
   * Name of the bucket, which all clients of a fleet share; default `muster`. Letters, digits, `_`
   * and `-`, at most 64.
   */
  readonly namespace?: string | undefined;
  /** How long keys stay after their client died; 1 s to 1 h, default `10s`. */
  readonly ttl?: Duration | undefined;
  /** How long one request, or one attempt to connect, may take; 100 ms to 10 min, default `5s`. */
  readonly requestTimeout?: Duration | undefined;
  /** Where the bucket is kept when it has to be made; default `file`. */
  readonly storage?: "file" | "memory" | undefined;
  /** Servers that keep a copy of the bucket when it has to be made: 1 to 5, default 1. */
  readonly replicas?: number | undefined;
  /** With `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** Path of a credentials file: a JWT and the seed of its key; read at each connection. */
  readonly credentialsPath?: string | undefined;
  /** Seed of an nkey: `SU…`. */
  readonly nkeySeed?: string | undefined;
  /** True: TLS with the CAs of the system. */
  readonly tls?: StoreTlsConfig | boolean | undefined;
  /** Our identity, 64 bits and not 0; default a random one. */
  readonly connectionId?: bigint | undefined;
  /** Changes that wait for a slow reader of a watch before they become one `Resync`; default 16,384. */
  readonly queueLimit?: number | undefined;
}

/** {@link NatsStoreConfig} with defaults; times in ms. */
export interface NatsStoreSettings {
  readonly servers: readonly string[];
  readonly namespace: string;
  readonly ttl: number;
  readonly requestTimeout: number;
  readonly storage: "file" | "memory";
  readonly replicas: number;
  /** With `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly credentialsPath?: string | undefined;
  readonly nkeySeed?: string | undefined;
  readonly tls?: StoreTlsConfig | undefined;
  readonly connectionId?: bigint | undefined;
  /** Changes that wait for a slow reader of a watch before they become one `Resync`; default 16,384. */
  readonly queueLimit?: number | undefined;
}

const serverPattern = /^((nats|tls):\/\/)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** Checks a {@link NatsStoreConfig}. */
export const natsConfigSchema: StandardSchema<NatsStoreConfig, NatsStoreSettings> = z
  .strictObject({
    servers: serversField(serverPattern, "nats://host:port, tls://host:port or host:port").describe(
      "The cluster's servers: `nats://host:port`, `tls://host:port` or `host:port`, as a list or joined by commas.",
    ),
    namespace: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be letters, digits, `_` and `-`, at most 64")
      .default("muster")
      .describe("Name of the bucket, which all clients of a fleet share."),
    ttl: durationField("10s", "1s", "1h").describe(
      "How long keys stay after their client died; 1 s to 1 h.",
    ),
    requestTimeout: durationField("5s", "100ms", "10m").describe(
      "How long one request, or one attempt to connect, may take; 100 ms to 10 min.",
    ),
    storage: z
      .enum(["file", "memory"])
      .default("file")
      .describe("Where the bucket is kept when it has to be made."),
    replicas: z
      .int()
      .min(1)
      .max(5)
      .default(1)
      .describe("Servers that keep a copy of the bucket when it has to be made."),
    username: textField(1000).optional().describe("User; with a password."),
    password: textField(10_000)
      .optional()
      .describe("The user's password.")
      .meta({ writeOnly: true }),
    token: textField(10_000)
      .optional()
      .describe("Token, instead of a user.")
      .meta({ writeOnly: true }),
    credentialsPath: textField(4096)
      .optional()
      .describe("Path of a credentials file: a JWT and the seed of its key."),
    nkeySeed: textField(1000).optional().describe("Seed of an nkey.").meta({ writeOnly: true }),
    tls: tlsOrBoolean.optional().describe("TLS; true: with the system's CAs."),
    connectionId: z
      .bigint()
      .min(1n)
      .max(2n ** 64n - 1n)
      .optional()
      .describe("Our identity, 64 bits; a random one by default."),
    queueLimit: queueLimitField(),
  })
  .superRefine((value, context) => {
    if ((value.username === undefined) !== (value.password === undefined))
      context.addIssue("username and password are given together");
    const secure = value.servers.find((each) => each.startsWith("tls://"));
    if (value.tls === false && secure !== undefined)
      context.addIssue(`tls is switched off, but ${secure} demands it`);
    const ways = [value.username, value.token, value.credentialsPath, value.nkeySeed];
    if (ways.filter((way) => way !== undefined).length > 1)
      context.addIssue("username, token, credentialsPath and nkeySeed exclude each other");
  })
  .transform(({ tls, ...rest }) => {
    const wanted = tls ?? rest.servers.some((each) => each.startsWith("tls://"));
    return { ...rest, ...(wanted && { tls: typeof tls === "object" ? tls : {} }) };
  });
