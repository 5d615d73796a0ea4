import { join } from "node:path";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createFileStore } from "@muster/discovery-kv/file";
import { describeDiscoveryPlane } from "@muster/testkit";
import { describe, it } from "vitest";
import { makeDirectory } from "../file-world.ts";

describeDiscoveryPlane(
  { describe, it: (name, body) => it(name, body, 30_000) },
  {
    largestId: 2n ** 64n - 1n,
    make() {
      const directory = makeDirectory();
      return {
        client: ({ instanceId: connectionId } = {}) =>
          createKvDiscovery(createFileStore({ root: join(directory.path, "root"), connectionId })),
        close: () => directory.remove(),
      };
    },
  },
);
