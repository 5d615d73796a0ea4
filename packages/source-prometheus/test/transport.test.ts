import { readFileSync } from "node:fs";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ask, openTransport, textOf } from "./support/ask.ts";
import { serve, serveBytes } from "./support/server.ts";

const code = (name: string, text: string | RegExp = "") =>
  expect.objectContaining({ code: name, message: expect.stringMatching(text) });

/** A page of 600 kB of which no two parts are alike. */
function numberedPage(name: string): string {
  return Array.from({ length: 40_000 }, (_, n) => `${name} ${100_000_000 + n}\n`).join("");
}

describe("an exchange", () => {
  it("sends path, headers and host, and gives status, type and body", async () => {
    const server = await serve((request, response) => {
      const { host, accept } = request.headers;
      response.setHeader("content-type", "text/plain");
      response.end(`${request.method} ${request.url} ${host} ${accept}`);
    });
    const { port } = server;
    const answer = await ask(openTransport(), {
      port,
      path: "/m?x=1",
      headers: { accept: "text/*" },
    });
    expect(answer).toMatchObject({ status: 200, contentType: "text/plain", location: undefined });
    expect(textOf(answer)).toBe(`GET /m?x=1 127.0.0.1:${port} text/*`);
  });

  it("reaches IPv6 addresses, bracketed in the host header", async () => {
    const server = await serve((request, response) => response.end(request.headers.host), "::1");
    const answer = await ask(openTransport(), { port: server.port, address: "::1" });
    expect(textOf(answer)).toBe(`[::1]:${server.port}`);
  });

  it("joins a body of many pieces, chunked or not", async () => {
    const page = numberedPage("a");
    const server = await serve((request, response) => {
      if (request.url === "/sized") response.setHeader("content-length", page.length);
      for (let at = 0; at < page.length; at += 50_000) response.write(page.slice(at, at + 50_000));
      response.end();
    });
    for (const path of ["/sized", "/chunked"])
      expect(textOf(await ask(openTransport(), { port: server.port, path }))).toBe(page);
  });

  it("keeps bodies apart that come side by side", async () => {
    const server = await serve((request, response) => {
      const page = numberedPage(request.url ?? "");
      for (let at = 0; at < page.length; at += 10_000) response.write(page.slice(at, at + 10_000));
      response.end();
    });
    const transport = openTransport({ maxConnections: 2 });
    const paths = ["/a", "/b", "/c", "/d"];
    const { port } = server;
    const answers = await Promise.all(paths.map((path) => ask(transport, { port, path })));
    expect(answers.map(textOf)).toEqual(paths.map(numberedPage));
  });

  it("takes a body that only the end of the connection ends", async () => {
    const server = await serveBytes("HTTP/1.1 200 OK\r\n\r\na 1\n");
    expect(textOf(await ask(openTransport(), server))).toBe("a 1\n");
  });

  it("ignores interim answers, and rubbish after a complete one", async () => {
    const page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n";
    for (const bytes of [`HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${page}`, `${page}rubbish`])
      expect(textOf(await ask(openTransport(), await serveBytes(bytes)))).toBe("a 1\n");
  });

  it("gives the beginning of an answer other than 200, and lets go of the rest", async () => {
    const server = await serve((_, response) => {
      response.statusCode = 500;
      response.write("x".repeat(60_000));
    });
    const answer = await ask(openTransport(), server);
    expect(answer.status).toBe(500);
    expect(answer.body.byteLength).toBeGreaterThan(1000);
    await server.open(0);
  });
});

describe("an exchange fails with", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  it.each([
    [
      "a body shorter than its length",
      `${head}Content-Length: 9\r\n\r\na 1\n`,
      "end",
      "SCRAPE_TRUNCATED",
    ],
    [
      "a reset within the body",
      `${head}Content-Length: 9\r\n\r\na 1\n`,
      "reset",
      "SCRAPE_TRUNCATED",
    ],
    [
      "chunks without an end",
      `${head}Transfer-Encoding: chunked\r\n\r\n4\r\na 1\n\r\n`,
      "end",
      "SCRAPE_TRUNCATED",
    ],
    ["broken chunks", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, "end", "SCRAPE_TRUNCATED"],
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "end", "SCRAPE_CONNECT"],
    ["no answer at all", "", "end", "SCRAPE_CONNECT"],
    [
      "a change of protocol",
      `HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n`,
      "end",
      "SCRAPE_CONNECT",
    ],
    ["headers beyond 16 KiB", `${head}X: ${"x".repeat(20_000)}\r\n\r\n`, "end", "SCRAPE_TOO_LARGE"],
    [
      "a length beyond the limit",
      `${head}Content-Length: 1048577\r\n\r\n`,
      "wait",
      "SCRAPE_TOO_LARGE",
    ],
    ["a body beyond the limit", `${head}\r\n${"x".repeat(1_048_577)}`, "wait", "SCRAPE_TOO_LARGE"],
    ["headers that never end", `${head}X: `, "wait", "SCRAPE_TIMEOUT"],
    ["a body that never ends", `${head}\r\na 1\n`, "wait", "SCRAPE_TIMEOUT"],
  ] as const)("%s", async (_, bytes, after, expected) => {
    const server = await serveBytes(bytes, after);
    const timeout = expected === "SCRAPE_TIMEOUT" ? 50 : 5000;
    await expect(ask(openTransport(), { ...server, port: server.port, timeout })).rejects.toEqual(
      code(expected, `^http://127.0.0.1:${server.port}/metrics: `),
    );
    await server.open(0);
  });

  it("a port that nobody listens on", async () => {
    const failure = ask(openTransport(), { port: "1" });
    await expect(failure).rejects.toEqual(code("SCRAPE_CONNECT", "ECONNREFUSED"));
  });

  it("a name that cannot be resolved", async () => {
    const transport = openTransport({
      resolve: (_name, _options, done) => done(new Error("getaddrinfo ENOTFOUND"), []),
    });
    const failure = ask(transport, { port: "1", address: "nowhere.test" });
    await expect(failure).rejects.toEqual(code("SCRAPE_CONNECT", "ENOTFOUND"));
  });

  it("SCRAPE_ABORTED as soon as the signal aborts, and before when it has", async () => {
    const server = await serve(() => controller.abort());
    const controller = new AbortController();
    const transport = openTransport();
    for (const _ of [1, 2])
      await expect(
        ask(transport, { port: server.port, signal: controller.signal }),
      ).rejects.toEqual(code("SCRAPE_ABORTED"));
    await server.open(0);
    expect(server.connections).toBe(1);
  });
});

describe("compressed bodies", () => {
  const page = "a 1\n".repeat(1000);
  const encodings = {
    gzip: gzipSync(page),
    "X-GZIP": gzipSync(page),
    deflate: deflateSync(page),
    " deflate ": deflateRawSync(page),
    identity: Buffer.from(page),
  };

  it.each(Object.entries(encodings))("%j is inflated", async (encoding, body) => {
    const server = await serve((_, response) => {
      response.setHeader("content-encoding", encoding).end(body);
    });
    expect(textOf(await ask(openTransport(), server))).toBe(page);
  });

  const bomb = readFileSync(
    new URL("../../../fixtures/metrics/quirks/gzip-bomb.prom.gz", import.meta.url),
  );
  it.each([
    ["a bomb", "gzip", bomb, "SCRAPE_TOO_LARGE"],
    ["a stream that is cut short", "gzip", encodings.gzip.subarray(0, 40), "SCRAPE_TRUNCATED"],
    ["a damaged stream", "deflate", Buffer.from("not deflated"), "SCRAPE_TRUNCATED"],
    ["an encoding nobody asked for", "br", Buffer.from("x"), "SCRAPE_CONTENT_TYPE"],
    ["two encodings", "gzip, gzip", gzipSync(encodings.gzip), "SCRAPE_CONTENT_TYPE"],
  ])("%s is refused", async (_, encoding, body, expected) => {
    const server = await serve((__, response) => {
      response.setHeader("content-encoding", encoding).end(body);
    });
    await expect(ask(openTransport(), server)).rejects.toEqual(code(expected));
  });
});
