import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEndpointMetadata } from "@muster/core";
import { describeDefinition, describeDiscovery } from "@muster/testkit";
import { describe, it } from "vitest";
import fileDiscovery from "../src/index.ts";
import { tempDir } from "./temp-dir.ts";

const first = createEndpointMetadata({ name: "a", address: "10.0.0.1", port: 8000 });
const second = createEndpointMetadata({
  name: "b",
  namespace: "other",
  address: "2001:db8::1",
  port: 8001,
  labels: { app: "vllm" },
  metrics: { port: 9100, path: "/stats" },
});
const third = createEndpointMetadata({ name: "c", address: "model.internal", port: 8000 });

describeDiscovery(
  { describe, it },
  {
    make() {
      const path = join(tempDir(), "endpoints.json");
      writeFileSync(path, '{"endpoints": []}');
      return {
        discovery: fileDiscovery.create({ path, watchFile: true }),
        set(endpoints) {
          const list = endpoints.map(({ namespacedName, ...rest }) => ({
            ...namespacedName,
            address: rest.address,
            port: rest.port,
            labels: rest.labels,
            metrics: rest.metrics,
          }));
          writeFileSync(path, JSON.stringify({ endpoints: list }));
        },
        destroy: () => rmSync(path),
      };
    },
    endpoints: [first, second, third],
    changed: createEndpointMetadata({ name: "a", address: "10.0.0.9", port: 8000 }),
  },
);

describeDefinition(
  { describe, it },
  {
    definition: fileDiscovery,
    valid: [
      { path: "endpoints.yaml" },
      { path: "/etc/muster/endpoints.yaml", watchFile: true, pollInterval: "1s" },
      { path: "endpoints.yaml", pollInterval: 50 },
    ],
    invalid: [
      { config: {}, path: "path" },
      { config: { path: "" }, path: "path" },
      { config: { path: "a\0b" }, path: "path" },
      { config: { path: "a", watchFile: "yes" }, path: "watchFile" },
      { config: { path: "a", pollInterval: "49ms" }, path: "pollInterval" },
      { config: { path: "a", pollInterval: "2h" }, path: "pollInterval" },
      { config: { path: "a", pollInterval: "soon" }, path: "pollInterval" },
    ],
  },
);
