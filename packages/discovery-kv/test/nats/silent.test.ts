import { createServer, type Socket } from "node:net";
import { createNatsStore } from "@muster/discovery-kv/nats";
import { until } from "@muster/test-servers";
import { expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 30_000 });

/** Takes connections, and says what no client understands. */
async function startServer(says: string) {
  const open = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => undefined);
    socket.write(says);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `nats://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    open,
    taken: () => taken,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it.each([
  ["nothing", ""],
  ["nonsense without a line", "x".repeat(1000)],
])(
  "a NATS server that says %s is let go of: nothing is read, and no process held, for ever",
  async (_, says) => {
    await using server = await startServer(says);
    await using store = createNatsStore({ servers: server.url, requestTimeout: "300ms" });
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(store.check()).rejects.toMatchObject({ code: "STORE_TIMEOUT" });
      await until(
        () => server.taken() === attempt && server.open.size === 0,
        "nobody is connected",
      );
    }
  },
);
