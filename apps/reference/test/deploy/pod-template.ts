import { found } from "./deployed.ts";
import type { Manifest } from "./render.ts";

/** A pod template, as far as the tests read it. */
export interface PodTemplate {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly Volume[];
  readonly [field: string]: unknown;
}

interface Volume {
  readonly name: string;
  readonly configMap: { readonly name: string };
}

/** A container, as far as the tests read it. */
export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: Readonly<Record<"requests" | "limits", Readonly<Record<string, string>>>>;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** Labels and specification of the Deployment's pods. */
export function templateOf(objects: readonly Manifest[]): {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodTemplate;
} {
  const { spec } = found(objects, "Deployment") as { spec?: unknown };
  return (spec as { template: ReturnType<typeof templateOf> }).template;
}

/** The Deployment's pods. */
export function podOf(objects: readonly Manifest[]): PodTemplate {
  return templateOf(objects).spec;
}

/** Their only container. */
export function containerOf(objects: readonly Manifest[]): Container {
  const [container, ...others] = podOf(objects).containers;
  if (container === undefined || others.length > 0) throw new Error("not one container");
  return container;
}
