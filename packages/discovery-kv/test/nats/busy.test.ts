import { Buffer } from "node:buffer";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { describeWith, type NatsServer, startNats } from "@muster/test-servers";
import { jetstream } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "./bench.ts";

/**
 * A server whose consumers always have one message to come, as one (2.9.10, seen) has that lost count
 * while what it was about to deliver was overwritten.
 */
async function startMiscounting(server: NatsServer): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connectSocket(server.port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket.on("error", () => undefined));
      socket.on("close", () => [client, upstream].map((each) => each.destroy()));
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      const text = chunk.toString("latin1").replace(/(\$JS\.ACK\.[^ ]+\.)0 /g, "$11 ");
      client.write(Buffer.from(text, "latin1"));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}

describeWith("nats", describe)("a bucket of NATS that never rests", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("is listed and watched, although the server lost count of what is to come", async () => {
    await using miscounting = await startMiscounting(server);
    await using bench = new Bench();
    const connection = await connect({ servers: server.url });
    const kv = await new Kvm(jetstream(connection)).create("busy");
    for (const key of ["a", "b"]) await kv.put(`v1/instances.${key}`, "0");
    let isBusy = true;
    const writing = (async () => {
      for (let value = 1; isBusy; value++) await kv.put("v1/instances.b", String(value));
    })();
    const store = bench.store(`127.0.0.1:${miscounting.port}`, { namespace: "busy" });
    const bucket = store.bucket("v1/instances");
    for (let time = 0; time < 5; time++)
      expect([...(await bucket.entries()).keys()].sort()).toEqual(["a", "b"]);
    for await (const event of await bucket.watch()) {
      expect(event).toMatchObject({ type: "Resync" });
      break;
    }
    isBusy = false;
    await writing;
    await connection.close();
  });
});
