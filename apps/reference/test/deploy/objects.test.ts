import { dumpYaml, loadYaml } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { deploy, found } from "./deployed.ts";
import { containerOf, podOf, templateOf } from "./pod-template.ts";
import { type Manifest, renderBase } from "./render.ts";

const combinations = [
  [],
  ["selector"],
  ["service"],
  ["service", "watch-pods"],
  ["pod-monitor"],
  ["service", "watch-pods", "pod-monitor"],
].map((components) => ({ components, name: ["base", ...components].join(" + ") }));

it.each(combinations)("an API server takes $name, again and again", async ({ components }) => {
  await using deployed = await deploy(components);
  for (const object of deployed.objects) {
    const again = await deployed.apply(object);
    expect(again).toMatchObject({ ...object, metadata: object.metadata });
    expect(again.metadata.labels).toEqual({ "app.kubernetes.io/name": "muster" });
  }
});

it("has no field that Kubernetes does not know", async () => {
  const objects = await renderBase("watch-pods", "pod-monitor");
  for (const object of objects.filter(({ kind }) => kind !== "PodMonitor"))
    expect(throughTypes(object)).toEqual(object);
  const misspelt = { ...found(objects, "Service"), specs: {} };
  expect(throughTypes(misspelt)).not.toEqual(misspelt);
});

/** An object as the types of the client library have it: other fields are lost. */
function throughTypes(object: Manifest): unknown {
  return parse(dumpYaml(loadYaml(stringify(object))));
}

it("selects the pods of the Deployment, and reaches their port", async () => {
  const objects = await renderBase("pod-monitor");
  const { labels } = templateOf(objects).metadata;
  const { ports } = containerOf(objects);
  const spec = (kind: string, name?: string): Readonly<Record<string, unknown>> =>
    found(objects, kind, name).spec as Readonly<Record<string, unknown>>;
  expect(spec("Service").selector).toEqual(labels);
  for (const kind of ["Deployment", "PodDisruptionBudget", "PodMonitor"])
    expect(spec(kind).selector).toEqual({ matchLabels: labels });
  for (const name of ["muster", "muster-prometheus"])
    expect(spec("NetworkPolicy", name)).toMatchObject({
      podSelector: { matchLabels: labels },
      ingress: [{ ports: [{ port: "http" }] }],
    });
  expect(ports).toEqual([{ name: "http", containerPort: 7700 }]);
  expect(spec("Service").ports).toMatchObject([{ port: 7700, targetPort: "http" }]);
  expect(spec("PodMonitor").podMetricsEndpoints).toMatchObject([{ port: "http" }]);
});

it("asks no more of a node than the Pod Security Standard `restricted` allows", async () => {
  const objects = await renderBase();
  const pod = podOf(objects);
  expect(pod.securityContext).toEqual({
    runAsNonRoot: true,
    ...{ runAsUser: 65532, runAsGroup: 65532 },
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(containerOf(objects).securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  for (const field of ["hostNetwork", "hostPID", "hostIPC", "hostUsers", "initContainers"])
    expect(pod).not.toHaveProperty(field);
  expect(pod.volumes.every((volume) => "configMap" in volume)).toBe(true);
  expect(Object.keys(containerOf(objects).resources.limits)).toContain("memory");
  // the token of the service account is in no other pod
  expect(found(objects, "ServiceAccount").automountServiceAccountToken).toBe(false);
  expect(pod.automountServiceAccountToken).toBe(true);
});
