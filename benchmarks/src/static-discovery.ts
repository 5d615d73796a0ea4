import { createEndpointMetadata, type EndpointDiscovery, typedName } from "@muster/core";
import { loopbackHost } from "./page-servers.ts";

/** A discovery of `count` endpoints on one port, each on a loopback address of its own. */
export function staticDiscovery(count: number, port: number): EndpointDiscovery {
  let markReady: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    markReady = resolve;
  });
  return {
    typedName: typedName("static-discovery"),
    ready: () => isReady,
    start(notifier, { signal }) {
      for (let n = 0; n < count; n++)
        notifier.upsert(createEndpointMetadata({ name: `e${n}`, address: loopbackHost(n), port }));
      markReady();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
}
