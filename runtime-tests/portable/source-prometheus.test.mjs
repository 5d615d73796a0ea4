// Sockets, zlib and DNS are where runtimes differ: the transport's rules, with real servers.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { createEndpoint, createEndpointMetadata } from "@muster/core";
import { createNodeTransport, createPrometheusSource } from "@muster/source-prometheus";
import { describePollingSource } from "@muster/testkit";

const page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n";

/** A server that answers each request on a connection with the next of these, or drops the connection. */
async function serve(...answers) {
  const sockets = new Set();
  const seen = { connections: 0, requests: 0 };
  const server = createServer((socket) => {
    let next = 0;
    seen.connections++;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", () => {
      seen.requests++;
      const answer = answers[next++];
      if (answer === undefined) socket.destroy();
      else if (answer.end) socket.end(answer.end);
      else socket.write(answer);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { seen, port: String(server.address().port), close };
}

async function asking(answers, options, body) {
  const server = await serve(...answers);
  const transport = createNodeTransport(options);
  const ask = (given = {}) =>
    transport.request({
      target: { scheme: "http", address: "127.0.0.1", port: server.port, path: "/metrics" },
      headers: {},
      timeout: 5000,
      maxBodyBytes: 1 << 20,
      signal: new AbortController().signal,
      ...given,
    });
  try {
    await body(ask, server.seen);
  } finally {
    transport.close();
    await server.close();
  }
}

const failures = {
  "a body cut short": [{ end: page.slice(0, -1) }, "SCRAPE_TRUNCATED"],
  "no answer": [undefined, "SCRAPE_CONNECT"],
  "something else than HTTP": [{ end: "SSH-2.0-x\r\n\r\n" }, "SCRAPE_CONNECT"],
  "headers that are too large": [
    `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    "SCRAPE_TOO_LARGE",
  ],
  "a body without end": ["HTTP/1.1 200 OK\r\n\r\na 1\n", "SCRAPE_TIMEOUT"],
};

export default ({ describe, it }) => {
  describe("the transport", () => {
    it("keeps a connection, and replaces one that was closed", () =>
      asking([page, page], {}, async (ask, seen) => {
        for (const _ of [1, 2, 3]) assert.equal((await ask()).body.byteLength, 4);
        assert.equal(seen.connections, 2);
      }));

    it("keeps pages apart that are read side by side", () => {
      const bodies = ["a", "b"].map((name) => {
        const lines = Array.from({ length: 40_000 }, (_, n) => `${name} ${100_000_000 + n}\n`);
        return lines.join("");
      });
      const [a, b] = bodies.map(
        (body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return asking([a, b, a, b], {}, async (ask) => {
        const answers = await Promise.all([ask(), ask(), ask(), ask()]);
        for (const { body } of answers)
          assert.ok(bodies.includes(new TextDecoder().decode(body)), "parts of several pages");
      });
    });

    for (const [what, [answer, code]] of Object.entries(failures))
      it(`fails with ${code} for ${what}`, () =>
        asking([answer], {}, async (ask) => {
          const timeout = code === "SCRAPE_TIMEOUT" ? 50 : 5000;
          await assert.rejects(ask({ timeout }), { code });
        }));

    it("inflates up to the limit", async () => {
      const body = gzipSync("a 1\n".repeat(300_000)).toString("latin1");
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
      const answer = Buffer.from(head + body, "latin1");
      await asking([answer, answer], {}, async (ask) => {
        await assert.rejects(ask(), { code: "SCRAPE_TOO_LARGE" });
        assert.equal((await ask({ maxBodyBytes: 1 << 21 })).body.byteLength, 1_200_000);
      });
    });

    it("ends at the abort", () =>
      asking(["HTTP/1.1 200 OK\r\n"], {}, async (ask) => {
        const controller = new AbortController();
        const failing = assert.rejects(ask({ signal: controller.signal }), {
          code: "SCRAPE_ABORTED",
        });
        controller.abort();
        await failing;
      }));

    it("checks what a name resolves to, and connects to nothing else", () => {
      const addresses = ["127.0.0.1", "169.254.169.254"];
      const resolve = (_name, _options, done) =>
        done(null, [{ address: addresses.shift() ?? "169.254.169.254", family: 4 }]);
      return asking([], { resolve }, async (ask) => {
        const named = (address) =>
          ask({ target: { scheme: "http", address, port: "1", path: "/" } });
        await assert.rejects(named("one.test"), { code: "SCRAPE_CONNECT" });
        for (const address of ["two.test", "0x7f.1", "::ffff:169.254.169.254"])
          await assert.rejects(named(address), { code: "SCRAPE_BLOCKED" });
      });
    });
  });

  describePollingSource(
    { describe, it },
    {
      async make() {
        let mode = "fine";
        const server = createServer((socket) => {
          socket.on("error", () => undefined);
          socket.on("data", () => {
            if (mode === "fine") socket.write(page);
            if (mode === "fail") socket.destroy();
          });
        });
        await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address();
        const metadata = createEndpointMetadata({ name: "a", address: "127.0.0.1", port });
        const source = createPrometheusSource({
          config: { timeout: "200ms" },
          transport: createNodeTransport(),
        });
        const turn = (to) => () => {
          mode = to;
        };
        return {
          source,
          endpoint: createEndpoint(metadata),
          fail: turn("fail"),
          recover: turn("fine"),
          hang: turn("hang"),
          close: async () => {
            await source.stop?.();
            await new Promise((resolve) => server.close(resolve));
          },
        };
      },
    },
  );
};
