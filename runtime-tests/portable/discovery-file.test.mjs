// File events differ between runtimes, so the contract is checked on each, with real files.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointMetadata } from "@muster/core";
import fileDiscovery from "@muster/discovery-file";
import { describeDiscovery } from "@muster/testkit";

const metadata = (name, labels = {}) =>
  createEndpointMetadata({ name, namespace: "default", address: "127.0.0.1", port: 8000, labels });

export default (api) => {
  describeDiscovery(api, {
    make() {
      const folder = mkdtempSync(join(tmpdir(), "muster-file-"));
      const path = join(folder, "endpoints.json");
      const set = (endpoints) => {
        const entries = endpoints.map(({ namespacedName, address, port, labels }) => {
          const { name, namespace } = namespacedName;
          return { name, namespace, address, port, labels };
        });
        // As editors and config maps do it: never half a file.
        writeFileSync(`${path}.new`, JSON.stringify({ endpoints: entries }));
        renameSync(`${path}.new`, path);
      };
      set([]);
      return {
        discovery: fileDiscovery.create({ path, watchFile: true }),
        set,
        destroy: () => rmSync(path),
        close: () => rmSync(folder, { recursive: true }),
      };
    },
    endpoints: [metadata("a"), metadata("b"), metadata("c")],
    changed: metadata("a", { zone: "z" }),
    patience: 10_000,
  });
};
