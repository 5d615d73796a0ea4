import { type Duration, parseDuration, type StandardSchema } from "@muster/core";
import * as z from "zod";

/** TLS to NATS; texts are PEM, paths are read at each connection, so that renewed files are taken. */
export interface NatsTlsConfig {
  /** CA certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  readonly caPath?: string | undefined;
  /** Client certificate, with its key. */
  readonly cert?: string | undefined;
  readonly certPath?: string | undefined;
  readonly key?: string | undefined;
  readonly keyPath?: string | undefined;
  /** The name that the server's certificate must carry, where it is not the one connected to. */
  readonly serverName?: string | undefined;
}

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
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** Path of a credentials file: a JWT and the seed of its key; read at each connection. */
  readonly credentialsPath?: string | undefined;
  /** Seed of an nkey: `SU…`. */
  readonly nkeySeed?: string | undefined;
  /** True: TLS with the CAs of the system. */
  readonly tls?: NatsTlsConfig | boolean | undefined;
  /** Our identity, 64 bits and not 0; default a random one. */
  readonly connectionId?: bigint | undefined;
}

/** {@link NatsStoreConfig} with defaults; times in ms. */
export interface NatsStoreSettings {
  readonly servers: readonly string[];
  readonly namespace: string;
  readonly ttl: number;
  readonly requestTimeout: number;
  readonly storage: "file" | "memory";
  readonly replicas: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly credentialsPath?: string | undefined;
  readonly nkeySeed?: string | undefined;
  readonly tls?: NatsTlsConfig | undefined;
  readonly connectionId?: bigint | undefined;
}

const text = (limit: number): z.ZodString => z.string().min(1).max(limit);
const path = (what: string): z.ZodOptional<z.ZodString> =>
  text(4096).optional().describe(`Path of ${what}, PEM; read at each connection.`);
const pem = (what: string): z.ZodOptional<z.ZodString> =>
  text(1_000_000).optional().describe(`${what}, PEM.`);

const tls = z
  .strictObject({
    ca: pem("CA certificates to trust instead of the system's"),
    caPath: path("the CA certificates"),
    cert: pem("Client certificate"),
    certPath: path("the client certificate"),
    key: pem("Key of the client certificate"),
    keyPath: path("the client certificate's key"),
    serverName: text(253).optional().describe("The name that the server's certificate must carry."),
  })
  .superRefine((value, context) => {
    for (const name of ["ca", "cert", "key"] as const)
      if (value[name] !== undefined && value[`${name}Path`] !== undefined)
        context.addIssue(`${name} and ${name}Path exclude each other`);
    const [cert, key] = [value.cert ?? value.certPath, value.key ?? value.keyPath];
    if ((cert === undefined) !== (key === undefined))
      context.addIssue("a client certificate and its key are given together");
  });

const server = z
  .string()
  .max(300)
  .regex(
    /^((nats|tls):\/\/)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/,
    "must be nats://host:port, tls://host:port or host:port; credentials have settings of their own",
  );

/** Checks a {@link NatsStoreConfig}. */
export const natsConfigSchema: StandardSchema<NatsStoreConfig, NatsStoreSettings> = z
  .strictObject({
    servers: z
      .union([server, z.array(server).min(1).max(50)])
      .describe("`nats://host:port` or `tls://host:port`, one or several of a cluster."),
    namespace: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be letters, digits, `_` and `-`, at most 64")
      .default("muster")
      .describe("Name of the bucket, which all clients of a fleet share."),
    ttl: duration("10s", 1000, 3_600_000).describe(
      "How long keys stay after their client died; 1 s to 1 h.",
    ),
    requestTimeout: duration("5s", 100, 600_000).describe(
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
    user: text(1000).optional().describe("User."),
    password: text(10_000).optional().describe("The user's password."),
    token: text(10_000).optional().describe("Token, instead of a user."),
    credentialsPath: text(4096)
      .optional()
      .describe("Path of a credentials file: a JWT and the seed of its key."),
    nkeySeed: text(1000).optional().describe("Seed of an nkey."),
    tls: z.union([tls, z.boolean()]).optional().describe("TLS; true: with the system's CAs."),
    connectionId: z
      .bigint()
      .min(1n)
      .max(2n ** 64n - 1n)
      .optional()
      .describe("Our identity, 64 bits; a random one by default."),
  })
  .superRefine((value, context) => {
    if ((value.user === undefined) !== (value.password === undefined))
      context.addIssue("user and password are given together");
    const ways = [value.user, value.token, value.credentialsPath, value.nkeySeed];
    if (ways.filter((way) => way !== undefined).length > 1)
      context.addIssue("user, token, credentialsPath and nkeySeed exclude each other");
  })
  .transform(({ servers, tls, ...rest }) => {
    const list = typeof servers === "string" ? [servers] : servers;
    const wanted = tls === undefined && list.some((each) => each.startsWith("tls://"));
    return {
      ...rest,
      servers: list,
      ...((tls || wanted) && { tls: typeof tls === "object" ? tls : {} }),
    };
  });

function duration(
  preset: Duration,
  min: number,
  max: number,
): z.ZodType<number, Duration | undefined> {
  return z
    .union([z.string(), z.number()])
    .default(preset)
    .transform((given, context) => {
      const ms = parseDuration(given);
      if (ms !== undefined && ms >= min && ms <= max) return ms;
      const wanted = `must be a duration from ${min} ms to ${max} ms`;
      context.addIssue(`${wanted}, not ${JSON.stringify(given)}`);
      return z.NEVER;
    });
}
