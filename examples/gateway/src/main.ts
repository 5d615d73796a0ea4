import { createServer } from "node:http";
import fileDiscovery from "@muster/discovery-file";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { forward } from "./forward.ts";

const fleet = createRuntime({
  discovery: [fileDiscovery.create({ path: "endpoints.yaml", watchFile: true })],
  sources: [
    { source: prometheus.create({ interval: "200ms" }), extractors: [coreMetrics.create()] },
  ],
});
await fleet.start();
const server = createServer(forward(fleet.endpoints));
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log("listening on", server.address());
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void fleet.stop();
});
