import process from "node:process";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createFileStore } from "@muster/discovery-kv/file";
import { startWorker } from "./worker.ts";

const [root = "plane", component = "backend", model = "example/model"] = process.argv.slice(2);
const discovery = createKvDiscovery(createFileStore({ root, ttl: "2s" }));
const worker = await startWorker(discovery, { component, model });
console.log(`serving ${model} at ${worker.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void worker.stop());
