import { describeDiscoveryPlane } from "@muster/testkit";
import { describe, it } from "vitest";
import { openPlaneWorld } from "./world.ts";

describeDiscoveryPlane(
  { describe, it: (name, body) => it(name, body, 30_000) },
  {
    registerAgain: "replace",
    unregistersOthers: false,
    keepsSpelling: false,
    largestNumber: 2n ** 63n - 1n,
    async make() {
      const world = await openPlaneWorld();
      let count = 0;
      return {
        client: () => world.worker(`worker-${count++}`),
        async close() {
          await world[Symbol.asyncDispose]();
        },
      };
    },
  },
);
