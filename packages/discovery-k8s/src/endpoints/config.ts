import { isRequestPath, type StandardSchema } from "@muster/core";
import * as z from "zod";
import { type ClusterConfig, clusterSchema } from "../config/cluster-config.ts";

/** Which address of a dual-stack pod or service to use. */
export type AddressFamily = "IPv4" | "IPv6";

/** What users configure of a Kubernetes discovery: exactly one of the first three. */
export interface KubernetesDiscoveryConfig {
  /** The pods and ports of an InferencePool, followed when it changes. */
  readonly inferencePool?:
    | { readonly name: string; readonly namespace?: string | undefined }
    | undefined;
  /** Pods by label. */
  readonly selector?:
    | {
        readonly matchLabels: Readonly<Record<string, string>>;
        readonly ports: readonly number[];
        readonly namespace?: string | undefined;
        readonly namespaces?: readonly string[] | undefined;
      }
    | undefined;
  /** The endpoints of a Service, by its EndpointSlices. */
  readonly service?:
    | {
        readonly name: string;
        readonly namespace?: string | undefined;
        /** Name or number of one of its target ports, those of the pods; default the first. */
        readonly port?: string | number | undefined;
      }
    | undefined;
  /** Preferred address family; default the first address of a pod, IPv4 of a Service. */
  readonly addressFamily?: AddressFamily | undefined;
  /** Where metrics are, when not at the serving port. */
  readonly metrics?:
    | {
        readonly port?: number | undefined;
        readonly path?: string | undefined;
        readonly scheme?: "http" | "https" | undefined;
        /** Annotation of a pod that holds its metrics port, such as `prometheus.io/port`; not with a Service. */
        readonly portAnnotation?: string | undefined;
      }
    | undefined;
  readonly cluster?: ClusterConfig | undefined;
}

/** {@link KubernetesDiscoveryConfig}, checked. */
export type KubernetesDiscoverySettings = KubernetesDiscoveryConfig & {
  readonly cluster: ClusterConfig;
};

/** Ports of one pod, at most; an InferencePool has 8. */
export const maxPorts = 64;

const name = (what: string) =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be a Kubernetes name")
    .describe(what);
const dnsLabel = (what: string) =>
  z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "must be a name of a-z, 0-9 and -")
    .describe(what);
const namespace = () => dnsLabel("Namespace; otherwise that of the context or the pod.").optional();
const port = (what: string) => z.int().min(1).max(65535).describe(what);
const labelKey = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** Whether this can be a label of a Kubernetes object. */
export function isLabel(key: string, value: string): boolean {
  return labelKey.test(key) && labelValue.test(value);
}

/** Whether a value from outside is the number of a port. */
export function isPortNumber(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65535;
}

const inferencePool = z.strictObject({
  name: name("Name of the InferencePool."),
  namespace: namespace(),
});

const selector = z
  .strictObject({
    matchLabels: z
      .record(
        z.string().regex(labelKey),
        z.string().regex(labelValue, "must be a label value"),
        // of a key's own message nothing would be seen
        { error: ({ code }) => (code === "invalid_key" ? "must be a label key" : undefined) },
      )
      .refine((labels) => Object.keys(labels).length > 0, "needs a label, or every pod is meant")
      .describe("Labels that the pods have."),
    ports: z
      .array(port("A serving port."))
      .min(1)
      .max(maxPorts)
      .refine((ports) => new Set(ports).size === ports.length, "has a port twice")
      .describe("Serving ports: one endpoint for each pod and port."),
    namespace: namespace(),
    namespaces: z
      .array(dnsLabel("A namespace."))
      .min(1)
      .max(100)
      .refine((names) => new Set(names).size === names.length, "has a namespace twice")
      .optional()
      .describe("Several namespaces."),
  })
  .refine((value) => value.namespace === undefined || value.namespaces === undefined, {
    message: "give `namespace` or `namespaces`, not both",
  });

const service = z.strictObject({
  name: dnsLabel("Name of the Service."),
  namespace: namespace(),
  port: z
    .union([z.string().min(1).max(63), port("")])
    .optional()
    .describe("Name or number of one of its target ports, those of the pods; otherwise the first."),
});

const metrics = z.strictObject({
  port: port("Metrics port of every endpoint; otherwise the serving port.").optional(),
  path: z
    .string()
    .refine(isRequestPath, "must start with / and hold no space, # or control character")
    .optional()
    .describe("Metrics path; otherwise the source's."),
  scheme: z
    .enum(["http", "https"])
    .optional()
    .describe("Scheme of metrics; otherwise the source's."),
  portAnnotation: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Annotation of a pod that holds its metrics port, such as `prometheus.io/port`; not with `service`.",
    ),
});

/** What chooses endpoints; exactly one is given. */
const choices = ["inferencePool", "selector", "service"] as const;

/** Checks a {@link KubernetesDiscoveryConfig}. */
export const configSchema: StandardSchema<KubernetesDiscoveryConfig, KubernetesDiscoverySettings> =
  z
    .strictObject({
      inferencePool: inferencePool
        .optional()
        .describe("The pods and ports of an InferencePool, followed when it changes."),
      selector: selector.optional().describe("Pods by label."),
      service: service.optional().describe("The endpoints of a Service, by its EndpointSlices."),
      addressFamily: z
        .enum(["IPv4", "IPv6"])
        .optional()
        .describe(
          "Preferred address family; otherwise the first address of a pod, and IPv4 of a Service.",
        ),
      metrics: metrics.optional().describe("Where metrics are, when not at the serving port."),
      cluster: clusterSchema
        .default({})
        .describe("Which cluster; otherwise the pod's own, or the default kubeconfig."),
    })
    .superRefine((config, { addIssue }) => {
      const given = choices.filter((choice) => config[choice] !== undefined);
      const list = given.map((choice) => `\`${choice}\``).join(" and ");
      if (given.length !== 1)
        addIssue(
          `give exactly one of \`inferencePool\`, \`selector\` and \`service\`, not ${list || "none"}`,
        );
      if (config.service !== undefined && config.metrics?.portAnnotation !== undefined)
        addIssue("`metrics.portAnnotation` needs pods; a Service is read without them");
    });
