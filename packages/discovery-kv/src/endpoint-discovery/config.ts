import {
  type Duration,
  isAddress,
  isRequestPath,
  parseDuration,
  type StandardSchema,
} from "@muster/core";
import * as z from "zod";
import { type StoreConfig, storeSchema } from "../store-config.ts";
import { templateProblem } from "./template.ts";

/** Where metrics are, where that is not the serving address. */
export interface MetricsConfig {
  /** `false`: nothing is polled; default true. */
  readonly enabled?: boolean | undefined;
  /** Default: the polling source's own. */
  readonly scheme?: "http" | "https" | undefined;
  /** Host name or address with placeholders, such as `{component}.internal`; default: as served. */
  readonly address?: string | undefined;
  /** Default: as served. */
  readonly port?: number | undefined;
  /** With placeholders; default: the polling source's own. */
  readonly path?: string | undefined;
  /** Field of the endpoint's record that says it itself, `host:port` or a URL; goes before the rest. */
  readonly field?: string | undefined;
}

/** {@link MetricsConfig} with defaults. */
export interface MetricsSettings extends MetricsConfig {
  readonly enabled: boolean;
}

/** What users configure of an endpoint discovery, whatever the store. */
export interface KvEndpointsConfig {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Needs a namespace; default: all of its components. */
  readonly component?: string | undefined;
  /** Needs a component; default: all of its endpoints. */
  readonly endpoint?: string | undefined;
  readonly metrics?: MetricsConfig | undefined;
  /** Labels that every endpoint gets. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * How long endpoints are kept when the store cannot be followed any more; default `10m`, `forever`
   * for as long as it takes.
   */
  readonly graceTime?: Duration | undefined;
  /**
   * How long, in the time after an outage, endpoints are kept whose records are gone: their workers may be
   * about to register again; default `6s`, `0s` for not at all.
   */
  readonly holdTime?: Duration | undefined;
}

/** What users configure of the plugin `kv-discovery`. */
export interface KvDiscoveryConfig extends KvEndpointsConfig {
  readonly store: StoreConfig;
}

/** {@link KvEndpointsConfig} with defaults. */
export interface KvEndpointsSettings {
  readonly namespace?: string | undefined;
  readonly component?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly metrics: MetricsSettings;
  readonly labels: Readonly<Record<string, string>>;
  /** ms; Infinity: for ever. */
  readonly graceTime: number;
  /** ms. */
  readonly holdTime: number;
}

/** {@link KvDiscoveryConfig} with defaults. */
export interface KvDiscoverySettings extends KvEndpointsSettings {
  readonly store: StoreConfig;
}

const name = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .min(1)
    .max(253)
    .refine((text) => !text.includes("/"), 'must not contain "/"')
    .optional()
    .describe(what);

const template = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .min(1)
    .max(1024)
    .superRefine((text, context) => {
      const problem = templateProblem(text);
      if (problem !== undefined) context.addIssue(problem);
    })
    .optional()
    .describe(what);

const metrics = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether the endpoints are polled."),
  scheme: z.enum(["http", "https"]).optional().describe("Default: the polling source's own."),
  address: template(
    "Host to poll, such as `{host}` or `{component}.internal`; default: as served. Placeholders: `{host}`, `{port}`, `{namespace}`, `{component}`, `{endpoint}`, `{id}`.",
  ).refine(
    (text) => text === undefined || isAddress(text.replaceAll(/\{\w+\}/g, "a")),
    "must be a host name or an address without port",
  ),
  port: z.int().min(1).max(65_535).optional().describe("Port to poll; default: as served."),
  path: template("Path to poll, with the same placeholders; default: the polling source's.").refine(
    (text) => text === undefined || isRequestPath(text.replaceAll(/\{\w+\}/g, "a")),
    'must start with "/", and be a path that can be asked for as it is',
  ),
  field: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe(
      "Field of an endpoint's record that holds `host:port` or a URL to poll; goes before the rest.",
    ),
});

const fields = {
  namespace: name("Only this namespace; default all."),
  component: name("Only this component of the namespace."),
  endpoint: name("Only this endpoint of the component."),
  metrics: metrics
    .prefault({})
    .describe("Where metrics are, where that is not the serving address."),
  labels: z
    .record(z.string().min(1).max(317), z.string().max(63))
    .default({})
    .describe("Labels that every endpoint gets."),
  graceTime: z
    .union([z.string(), z.number()])
    .default("10m")
    .describe(
      "How long endpoints are kept when the store cannot be followed any more; `forever`: for as long as it takes.",
    )
    .transform((duration, context) =>
      duration === "forever"
        ? Number.POSITIVE_INFINITY
        : milliseconds(duration, context, ", or forever"),
    ),
  holdTime: z
    .union([z.string(), z.number()])
    // workers renew at the latest when half of the usual TTL of 10 s is left
    .default("6s")
    .describe(
      "How long, in the time after an outage, endpoints are kept whose records are gone: their workers may be about to register again.",
    )
    .transform((duration, context) => milliseconds(duration, context)),
};

/** Checks a {@link KvEndpointsConfig}. */
export const endpointsSchema: StandardSchema<KvEndpointsConfig, KvEndpointsSettings> = z
  .strictObject(fields)
  .superRefine(checkQuery);

/** Checks a {@link KvDiscoveryConfig}. */
export const configSchema: StandardSchema<KvDiscoveryConfig, KvDiscoverySettings> = z
  .strictObject({ store: storeSchema, ...fields })
  .superRefine(checkQuery);

function checkQuery(
  { namespace, component, endpoint }: Omit<KvEndpointsConfig, "metrics">,
  context: z.RefinementCtx,
): void {
  const need = (path: string, outer: string): void =>
    context.addIssue({ code: "custom", path: [path], message: `needs ${outer} too` });
  if (component !== undefined && namespace === undefined) need("component", "namespace");
  if (endpoint !== undefined && component === undefined) need("endpoint", "component");
}

function milliseconds(duration: Duration, context: z.RefinementCtx, others = ""): number {
  const ms = parseDuration(duration);
  if (ms !== undefined && !Number.isNaN(ms)) return ms;
  context.addIssue(`must be a duration such as 10m${others}, not ${JSON.stringify(duration)}`);
  return z.NEVER;
}
