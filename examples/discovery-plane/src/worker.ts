import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Discovery, fromModel } from "@muster/core/plane";

/** A worker that serves, and says so on the plane. */
export interface Worker {
  readonly url: string;
  stop(): Promise<void>;
}

/** What a worker serves, and as what. */
export interface WorkerOptions {
  /** All workers of one component serve the same model: a second one is refused. */
  readonly component: string;
  readonly model: string;
}

/** Serves a model on a free port, and registers itself once it does: endpoint first, then its model. */
export async function startWorker(
  discovery: Discovery,
  { component, model }: WorkerOptions,
): Promise<Worker> {
  const server = createServer((_request, response) => {
    const message = { role: "assistant", content: `I am ${discovery.instanceId.toString(16)}.` };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "chat.completion", model, choices: [{ message }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = { namespace: "example", component, endpoint: "generate" };
  const transport = { http: `${url}/v1/rpc/generate` };
  await discovery.register({ type: "Endpoint", ...place, transport });
  await discovery.register(fromModel({ ...place, card: { display_name: model } }));
  return {
    url,
    async stop() {
      // first nobody is sent here any more, then the server ends
      await discovery.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
