import type { Duration, StandardSchema } from "@muster/core";
import * as z from "zod";
import { durationField, queueLimitField, serversField, textField } from "../config-fields.ts";
import { type StoreTlsConfig, tlsOrBoolean } from "../tls-config.ts";
import { type Endpoint, endpointPattern, parseEndpoint } from "./endpoint.ts";

/** What users configure of an etcd store. */
export interface EtcdStoreConfig {
  /**
   * The cluster's members: `http://host:port`, `https://host:port` or `host:port`, as a list or joined
   * by commas. Without scheme TLS is used when `tls` is set; the port is 2379 by default.
   */
  readonly endpoints: string | readonly string[];
  /** With `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** True: TLS with the CAs of the system. */
  readonly tls?: StoreTlsConfig | boolean | undefined;
  /** Life of our lease, and so how long keys stay after we died; whole seconds, 1 s to 1 h, default `10s`. */
  readonly ttl?: Duration | undefined;
  /**
   * When the lease was lost: `recover` (default) grants it again under the same id and writes our keys
   * again; `fatal` fails the store for good, as the original does.
   */
  readonly leaseLoss?: "recover" | "fatal" | undefined;
  /** How long one call may take, over all endpoints; 100 ms to 10 min, default `5s`. */
  readonly requestTimeout?: Duration | undefined;
  /** Our identity: the id of our lease, 1 to 2^63 - 1; default a random one. */
  readonly leaseId?: bigint | undefined;
  /** Changes that wait for a slow reader of a watch before they become one `Resync`; default 16,384. */
  readonly queueLimit?: number | undefined;
}

/** {@link EtcdStoreConfig} with defaults; times in ms. */
export interface EtcdStoreSettings {
  readonly endpoints: readonly Endpoint[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls: StoreTlsConfig;
  readonly ttl: number;
  readonly leaseLoss: "recover" | "fatal";
  readonly requestTimeout: number;
  readonly leaseId?: bigint | undefined;
  readonly queueLimit?: number | undefined;
}

/** Checks an {@link EtcdStoreConfig}. */
export const etcdConfigSchema: StandardSchema<EtcdStoreConfig, EtcdStoreSettings> = z
  .strictObject({
    endpoints: serversField(
      endpointPattern,
      "http://host:port, https://host:port or host:port",
    ).describe(
      "The cluster's members: `http://host:port`, `https://host:port` or `host:port`, as a list or joined by commas.",
    ),
    username: textField(1000).optional().describe("User; with a password."),
    password: textField(10_000)
      .optional()
      .describe("The user's password.")
      .meta({ writeOnly: true }),
    tls: tlsOrBoolean.optional().describe("TLS; true: with the system's CAs."),
    ttl: durationField("10s", "1s", "1h")
      .refine((ms) => ms % 1000 === 0, "must be whole seconds")
      .describe(
        "Life of our lease, and so how long keys stay after we died; whole seconds, 1 s to 1 h.",
      ),
    leaseLoss: z
      .enum(["recover", "fatal"])
      .default("recover")
      .describe(
        "When the lease was lost: `recover` grants it again and writes our keys again, `fatal` fails the store for good.",
      ),
    requestTimeout: durationField("5s", "100ms", "10m").describe(
      "How long one call may take, over all endpoints; 100 ms to 10 min.",
    ),
    leaseId: z
      .bigint()
      .min(1n)
      .max(2n ** 63n - 1n)
      .optional()
      .describe("Our identity: the id of our lease; a random one by default."),
    queueLimit: queueLimitField(),
  })
  .superRefine((value, context) => {
    if ((value.username === undefined) !== (value.password === undefined))
      context.addIssue("username and password are given together");
    const plain = value.endpoints.find((each) => each.startsWith("http://"));
    if (value.tls && plain !== undefined)
      context.addIssue(`tls is set, but ${plain} would not use it: write https://`);
  })
  .transform(({ endpoints, tls, ...rest }) => ({
    ...rest,
    tls: typeof tls === "object" ? tls : {},
    endpoints: endpoints.map((each) => parseEndpoint(each, Boolean(tls))),
  }));
