import type { StandardSchema } from "@muster/core";
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
        /** Name or number of one of its target ports; default the only one. */
        readonly port?: string | number | undefined;
      }
    | undefined;
  /** Preferred address family; default the first address that Kubernetes names. */
  readonly addressFamily?: AddressFamily | undefined;
  /** Where metrics are, when not at the serving port. */
  readonly metrics?:
    | {
        readonly port?: number | undefined;
        readonly path?: string | undefined;
        readonly scheme?: "http" | "https" | undefined;
        /** Annotation of a pod that holds its metrics port; default `prometheus.io/port` when set to "". */
        readonly portAnnotation?: string | undefined;
      }
    | undefined;
  readonly cluster?: ClusterConfig | undefined;
}

/** {@link KubernetesDiscoveryConfig}, checked. */
export type KubernetesDiscoverySettings = KubernetesDiscoveryConfig & {
  readonly cluster: ClusterConfig;
};

const name = (what: string) =>
  z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be a Kubernetes name")
    .max(253)
    .describe(what);
const namespace = () => name("Namespace; otherwise that of the context or the pod.").optional();
const port = (what: string) => z.int().min(1).max(65535).describe(what);
const labelText = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

const inferencePool = z.strictObject({
  name: name("Name of the InferencePool."),
  namespace: namespace(),
});

const selector = z
  .strictObject({
    matchLabels: z
      .record(
        z.string().regex(/^[-A-Za-z0-9_./]{1,316}$/, "must be a label key"),
        z.string().max(63).regex(labelText, "must be a label value"),
      )
      .refine((labels) => Object.keys(labels).length > 0, "needs a label, or every pod is meant")
      .describe("Labels that the pods have."),
    ports: z
      .array(port("A serving port."))
      .min(1)
      .max(64)
      .refine((ports) => new Set(ports).size === ports.length, "has a port twice")
      .describe("Serving ports: one endpoint for each pod and port."),
    namespace: namespace(),
    namespaces: z
      .array(name("A namespace."))
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
  name: name("Name of the Service."),
  namespace: namespace(),
  port: z
    .union([z.string().min(1), port("")])
    .optional()
    .describe("Name or number of one of its target ports; otherwise the first."),
});

const metrics = z.strictObject({
  port: port("Metrics port of every endpoint; otherwise the serving port.").optional(),
  path: z.string().startsWith("/").optional().describe("Metrics path; otherwise the source's."),
  scheme: z
    .enum(["http", "https"])
    .optional()
    .describe("Scheme of metrics; otherwise the source's."),
  portAnnotation: z
    .string()
    .min(1)
    .optional()
    .describe("Annotation of a pod that holds its metrics port, such as `prometheus.io/port`."),
});

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
          "Preferred address of dual-stack pods; otherwise the first one Kubernetes names.",
        ),
      metrics: metrics.optional().describe("Where metrics are, when not at the serving port."),
      cluster: clusterSchema
        .default({})
        .describe("Which cluster; otherwise the pod's own, or the default kubeconfig."),
    })
    .refine(
      (config) =>
        [config.inferencePool, config.selector, config.service].filter((one) => one !== undefined)
          .length === 1,
      { message: "give exactly one of `inferencePool`, `selector` and `service`" },
    );
