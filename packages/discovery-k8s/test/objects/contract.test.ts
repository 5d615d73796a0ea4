import {
  describeDefinition,
  describeNotificationSource,
  describeObjectWatcher,
} from "@muster/testkit";
import { describe, it } from "vitest";
import { kubernetesNotificationSource, kubernetesObjectWatcher } from "../../src/index.ts";
import { configMaps, openWorld, uniqueKind } from "./world.ts";

const missing = uniqueKind("Gadget");

describeObjectWatcher(
  { describe, it: (name, body) => it(name, body, 60_000) },
  {
    gvk: configMaps,
    missing,
    patience: 10_000,
    async make() {
      const world = await openWorld();
      const { server } = world;
      return {
        watcher: world.watcher(),
        put: (name, mark) => world.put(name, mark),
        remove: (name) => world.remove(name),
        async install(name) {
          await world.install(missing, { plural: "gadgets" });
          await world.add(missing, "gadgets", name);
        },
        ...(server && { open: () => server.openWatches }),
        close: () => world.close(),
      };
    },
  },
);

describeNotificationSource(
  { describe, it },
  {
    make: () => kubernetesNotificationSource.create({ version: "v1", kind: "Pod" }),
    objects: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b" }, spec: {} }],
  },
);

describeDefinition(
  { describe, it },
  {
    definition: kubernetesNotificationSource,
    valid: [
      { version: "v1", kind: "Pod" },
      { group: "inference.networking.k8s.io", version: "v1", kind: "InferencePool" },
    ],
    invalid: [
      { config: {}, path: "kind" },
      { config: { version: "v1" }, path: "kind" },
      { config: { group: "a/b", version: "v1", kind: "Pod" }, path: "group" },
      { config: { version: "..", kind: "Pod" }, path: "version" },
      { config: { version: "v1", kind: "pods/status" }, path: "kind" },
      { config: { version: "v1", kind: "Pod", namespace: "a" }, path: "" },
    ],
  },
);

describeDefinition(
  { describe, it },
  {
    definition: kubernetesObjectWatcher,
    valid: [
      {},
      { namespaces: "all", cluster: { kubeconfig: "config" } },
      { namespaces: ["a", "b"], labelSelector: "app=vllm", fieldSelector: "metadata.name=a" },
    ],
    invalid: [
      { config: { namespaces: [] }, path: "namespaces" },
      { config: { namespaces: "some" }, path: "namespaces" },
      { config: { namespaces: ["a", "a"] }, path: "namespaces" },
      { config: { labelSelector: "" }, path: "labelSelector" },
      { config: { cluster: { token: "secret" } }, path: "cluster" },
    ],
  },
);
