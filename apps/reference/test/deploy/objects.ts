import { namespace } from "./deployed.ts";
import type { Manifest } from "./render.ts";

/** The pool that the base's configuration names, of pods with the label `app: llama`. */
export function inferencePool(version: "v1" | "v1alpha2", port = 8000): Manifest {
  const matchLabels = { app: "llama" };
  const old = version === "v1alpha2";
  return {
    apiVersion: `inference.networking.${old ? "x-k8s" : "k8s"}.io/${version}`,
    kind: "InferencePool",
    metadata: { name: "llama", namespace },
    spec: old
      ? { selector: matchLabels, targetPortNumber: port }
      : { selector: { matchLabels }, targetPorts: [{ number: port }] },
  };
}

/** The slice of the Service that the component's configuration names, with these pods. */
export function slice(...pods: string[]): Manifest {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "llama-1",
      namespace,
      labels: { "kubernetes.io/service-name": "llama" },
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8000 }],
    endpoints: pods.map((name, index) => ({
      addresses: [`127.0.0.${index + 1}`],
      conditions: { ready: true },
      targetRef: { kind: "Pod", name },
    })),
  } as unknown as Manifest;
}

/** A plugin of somebody else that is told of pods; what it makes of them is not asked here. */
export const podsPlugin = `
const definition = {
  kind: "extractor", type: "acme-pods", apiVersion: "muster/v1", description: "",
  configSchema: { "~standard": { version: 1, vendor: "acme", validate: (value) => ({ value }) } },
  create: () => ({
    typedName: { type: "acme-pods", name: "acme-pods" }, variant: "notification",
    gvk: { group: "", version: "v1", kind: "Pod" }, extract() {},
  }),
};
export default Object.defineProperty(definition, Symbol.for("muster.plugin-definition"), { value: true });
`;
