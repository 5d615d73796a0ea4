import { type Duration, isPort, isRequestPath, type StandardSchema } from "@muster/core";
import * as z from "zod";
import { durationMs, filePath, headerFields, hostEntries } from "./config-fields.ts";

/** Credentials of a {@link PrometheusSourceConfig}: a bearer token, basic authentication, or headers alone. */
export interface PrometheusAuthConfig {
  readonly bearerToken?: string | undefined;
  /** Read again when it changes; blanks around the token are dropped. */
  readonly bearerTokenFile?: string | undefined;
  /** With exactly one of `password` and `passwordFile`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The only hosts that get any of it: ranges, addresses, names, `*.name`, or `*`. */
  readonly hosts: readonly string[];
}

/** What users configure of a metrics source; an endpoint's own `metrics` come first. */
export interface PrometheusSourceConfig {
  /** Default `http`. */
  readonly scheme?: "http" | "https" | undefined;
  /** Path and query; default `/metrics`. */
  readonly path?: string | undefined;
  /** Default: the serving port. */
  readonly port?: string | number | undefined;
  /** Between two polls of an endpoint; default: the runtime's. */
  readonly interval?: Duration | undefined;
  /** For one poll, from look-up to the last byte; default `1s`. */
  readonly timeout?: Duration | undefined;
  /** Default false: certificates are verified. */
  readonly insecureSkipVerify?: boolean | undefined;
  /** PEM file of the authorities to trust instead of the system's. */
  readonly caCertPath?: string | undefined;
  /** PEM files of a client certificate and its key: both or neither. */
  readonly clientCertPath?: string | undefined;
  readonly clientKeyPath?: string | undefined;
  /** Name to ask for and verify instead of the endpoint's address. */
  readonly serverName?: string | undefined;
  readonly auth?: PrometheusAuthConfig | undefined;
  /** Sent to every endpoint. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: all but link-local and metadata addresses. */
  readonly allowedTargets?: readonly string[] | undefined;
  /** Ask for gzip; default false. */
  readonly compression?: boolean | undefined;
  /** Default 16 MiB, as it comes and inflated. */
  readonly maxBodyBytes?: number | undefined;
}

/** {@link PrometheusSourceConfig} with defaults, durations in ms. */
export interface PrometheusSourceSettings extends PrometheusSourceConfig {
  readonly scheme: "http" | "https";
  readonly path: string;
  readonly port?: string | undefined;
  readonly interval?: number | undefined;
  readonly timeout: number;
  readonly insecureSkipVerify: boolean;
  readonly compression: boolean;
  readonly maxBodyBytes: number;
}

const auth = z
  .strictObject({
    bearerToken: z
      .string()
      .regex(/^[\x21-\x7e]{1,65536}$/, "must be printable ASCII without blanks")
      .optional()
      .describe(
        "Sent as `Authorization: Bearer`; a config file may take it from the environment, as `\u0024{env:NAME}`.",
      )
      .meta({ writeOnly: true }),
    bearerTokenFile: filePath()
      .optional()
      .describe(
        "Like bearerToken, from a file that is read again when it changes; blanks around it are dropped.",
      ),
    username: z
      .string()
      .regex(/^[^:\p{C}]+$/u, "must hold no colon or control character")
      .optional()
      .describe("For basic authentication."),
    password: z
      .string()
      .max(65536)
      .optional()
      .describe("For basic authentication.")
      .meta({ writeOnly: true }),
    passwordFile: filePath()
      .optional()
      .describe("Like password, from a file that is read again when it changes."),
    headers: headerFields(true)
      .optional()
      .describe("Headers that prove who we are, such as an API key."),
    hosts: hostEntries()
      .min(1)
      .describe(
        "The only hosts that are sent the credentials: ranges, addresses, names, `*.name`, or `*` for all.",
      ),
  })
  .superRefine((given, context) => {
    const tokens = [given.bearerToken, given.bearerTokenFile, given.username];
    if (tokens.filter((value) => value !== undefined).length > 1)
      context.addIssue("takes only one of bearerToken, bearerTokenFile and username");
    if (tokens.every((value) => value === undefined) && given.headers === undefined)
      context.addIssue("needs bearerToken, bearerTokenFile, username or headers");
    const passwords = [given.password, given.passwordFile].filter((value) => value !== undefined);
    if (passwords.length !== (given.username === undefined ? 0 : 1))
      context.addIssue("takes username with exactly one of password and passwordFile");
  });

const config = z
  .strictObject({
    scheme: z
      .enum(["http", "https"])
      .default("http")
      .describe("Scheme, where the endpoint does not say."),
    path: z
      .string()
      .refine(isRequestPath, "must start with / and hold no space, # or control character")
      .default("/metrics")
      .describe("Path and query, where the endpoint does not say."),
    port: z
      .union([z.string(), z.number()])
      .transform(String)
      .refine(isPort, "must be a port from 1 to 65535")
      .optional()
      .describe("Port, where the endpoint does not say; default: its serving port."),
    interval: z
      .union([z.string(), z.number()])
      .transform(durationMs)
      .optional()
      .describe("Time between two polls of an endpoint; default: the runtime's."),
    timeout: z
      .union([z.string(), z.number()])
      .default("1s")
      .transform(durationMs)
      .describe("Time for one poll, from look-up to the last byte."),
    insecureSkipVerify: z
      .boolean()
      .default(false)
      .describe("Do not verify certificates. The original's default is true."),
    caCertPath: filePath()
      .optional()
      .describe(
        "PEM file of the authorities to trust instead of the system's; this and the next two are read again when they change.",
      ),
    clientCertPath: filePath()
      .optional()
      .describe("PEM file of the client certificate; with clientKeyPath."),
    clientKeyPath: filePath().optional().describe("PEM file of its key."),
    serverName: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name to ask for and verify, instead of the endpoint's address."),
    auth: auth.optional().describe("Credentials."),
    headers: headerFields(false).optional().describe("Further headers, sent to every endpoint."),
    allowedTargets: hostEntries()
      .optional()
      .describe(
        "Ranges, addresses and names that may be polled; default: all. Link-local and metadata addresses are refused unless a range inside theirs is listed.",
      ),
    compression: z
      .boolean()
      .default(false)
      .describe("Ask for gzip: less network, more work for both sides."),
    maxBodyBytes: z
      .int()
      .min(1024)
      .max(1024 ** 3)
      .default(16 * 1024 ** 2)
      .describe("Largest page, as it comes and inflated."),
  })
  .superRefine((given, context) => {
    if ((given.clientCertPath === undefined) !== (given.clientKeyPath === undefined))
      context.addIssue("takes clientCertPath and clientKeyPath both or neither");
  });

/** Checks a {@link PrometheusSourceConfig}; nothing at all is one too. */
export const configSchema: StandardSchema<
  PrometheusSourceConfig | undefined,
  PrometheusSourceSettings
> = config.prefault({});
