import type { AddressInfo } from "node:net";
import process from "node:process";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createFileStore } from "@muster/discovery-kv/file";
import { createGateway } from "./gateway.ts";
import { followRoster } from "./roster.ts";

const [root = "plane", port = "8080"] = process.argv.slice(2);
const discovery = createKvDiscovery(createFileStore({ root, ttl: "2s" }));
const roster = await followRoster(discovery, "example", new AbortController().signal);
const gateway = createGateway(roster);
gateway.listen(Number(port), "127.0.0.1", () => {
  const address = gateway.address() as AddressInfo;
  console.log(`listening at http://127.0.0.1:${address.port}`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    gateway.close();
    gateway.closeAllConnections();
    void discovery.close();
  });
