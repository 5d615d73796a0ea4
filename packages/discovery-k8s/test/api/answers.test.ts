import { gzipSync } from "node:zlib";
import { isMusterError } from "@muster/core";
import { parseJson } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { createKubeApi, directCluster, type KubeApi, retryAfterOf } from "../../src/index.ts";
import { ScriptServer } from "./script-server.ts";

type Answer = Parameters<typeof ScriptServer.open>[0];

async function failureOf(answer: Answer): Promise<unknown> {
  await using server = await ScriptServer.open(answer);
  const api = createKubeApi(directCluster({ server: server.url }));
  try {
    return await api.request({ path: "/x" }).then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    api.close();
  }
}

const reply =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

describe("answers of an API server", () => {
  it.each<[string, number, string]>([
    ["KUBE_INVALID", 400, "BadRequest"],
    ["KUBE_AUTH", 401, "Unauthorized"],
    ["KUBE_FORBIDDEN", 403, "Forbidden"],
    ["KUBE_NOT_FOUND", 404, "NotFound"],
    ["KUBE_CONFLICT", 409, "Conflict"],
    ["KUBE_GONE", 410, "Expired"],
    ["KUBE_TOO_LARGE", 413, "RequestEntityTooLarge"],
    ["KUBE_INVALID", 422, "Invalid"],
    ["KUBE_UNAVAILABLE", 429, "TooManyRequests"],
    ["KUBE_UNAVAILABLE", 500, "InternalError"],
    ["KUBE_UNAVAILABLE", 503, "ServiceUnavailable"],
    ["KUBE_TIMEOUT", 504, "Timeout"],
  ])("%s for %i, in the server's words", async (code, status, reason) => {
    const body = JSON.stringify({ kind: "Status", status: "Failure", reason, message: "so it is" });
    const error = await failureOf(reply(status, body));
    expect(error).toMatchObject({ code, message: `GET /x: ${status} so it is` });
  });

  it.each<[string, string, Answer]>([
    ["a page of HTML", "KUBE_RESPONSE", reply(200, "<html>Log in</html>")],
    ["nothing", "KUBE_RESPONSE", reply(200, "")],
    ["a text", "KUBE_RESPONSE", reply(200, '"ok"')],
    ["half an object", "KUBE_RESPONSE", reply(200, '{"a":')],
    ["gzip, which nobody asked for", "KUBE_RESPONSE", reply(200, gzipSync("{}"))],
    ["a redirect", "KUBE_RESPONSE", reply(302, "", { location: "http://127.0.0.1:1/" })],
    ["an endless page of an error", "KUBE_UNAVAILABLE", reply(502, "x".repeat(300_000))],
    ["a connection that breaks", "KUBE_UNAVAILABLE", (_, { socket }) => socket?.destroy()],
    [
      "a body that breaks",
      "KUBE_UNAVAILABLE",
      (_, response) => {
        response.writeHead(200, { "content-length": "10" }).write("{");
        setImmediate(() => response.destroy());
      },
    ],
  ])("%s: %s", async (_, code, answer) => {
    const error = await failureOf(answer);
    expect(error).toMatchObject({ code });
    expect(String(error).length).toBeLessThan(600);
  });

  it("names an encoding that nobody asked for, of requests, streams and failures", async () => {
    const headers = { "content-encoding": "gzip" };
    const words = /^GET \/x: the answer is in gzip, although none was asked for/;
    const encoded = reply(200, gzipSync("{}"), headers);
    const failure = { code: "KUBE_RESPONSE", message: expect.stringMatching(words) };
    expect(await failureOf(encoded)).toMatchObject(failure);
    await using server = await ScriptServer.open(encoded);
    const api = createKubeApi(directCluster({ server: server.url }));
    const { signal } = new AbortController();
    await expect(api.stream({ path: "/x", signal, onLine: () => undefined })).rejects.toMatchObject(
      failure,
    );
    api.close();
    expect(await failureOf(reply(403, gzipSync("no"), headers))).toMatchObject({
      code: "KUBE_FORBIDDEN",
      message: "GET /x: 403 (in gzip)",
    });
    expect(await failureOf(reply(200, "{}", { "content-encoding": "identity" }))).toBeUndefined();
  });

  it("quotes no control characters", async () => {
    const error = await failureOf(reply(500, "\u001b[31mred\u0007\nline"));
    expect(error).toMatchObject({ message: "GET /x: 500 [31mred line" });
  });

  it("knows when to try again, from the header or the Status", async () => {
    const status = JSON.stringify({ message: "slow down", details: { retryAfterSeconds: 3 } });
    expect(retryAfterOf(await failureOf(reply(429, "{}", { "retry-after": "7" })))).toBe(7000);
    expect(retryAfterOf(await failureOf(reply(429, status)))).toBe(3000);
    expect(retryAfterOf(await failureOf(reply(429, "{}")))).toBeUndefined();
    expect(retryAfterOf(await failureOf(reply(429, "", { "retry-after": "-1" })))).toBeUndefined();
  });

  it("asks for identity and says who it is; sends no credentials it does not have", async () => {
    await using server = await ScriptServer.open(reply(200, "{}"));
    const api = createKubeApi(directCluster({ server: `${server.url}/k8s/clusters/c-1/` }));
    await api.request({ path: "/api/v1/pods", query: { limit: 5, labelSelector: "a in (b,c)" } });
    api.close();
    const [request] = server.requests;
    expect(request?.url).toBe(
      "/k8s/clusters/c-1/api/v1/pods?limit=5&labelSelector=a+in+%28b%2Cc%29",
    );
    expect(request?.headers).toMatchObject({
      "accept-encoding": "identity",
      "user-agent": "muster",
    });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it("reads answers losslessly with a reader of one's own", async () => {
    await using server = await ScriptServer.open(reply(200, '{"id":9007199254740993}'));
    const api = createKubeApi(directCluster({ server: server.url }));
    const exact = await api.request({ path: "/x", parse: (text) => parseJson(text) });
    expect(exact).toEqual({ id: 9007199254740993n });
    api.close();
  });
});

describe("ends of requests", () => {
  const silent: Answer = () => undefined;
  const open = async (): Promise<{ server: ScriptServer; api: KubeApi }> => {
    const server = await ScriptServer.open(silent);
    return { server, api: createKubeApi(directCluster({ server: server.url })) };
  };

  it("a server that says nothing: KUBE_TIMEOUT", async () => {
    const { server, api } = await open();
    const request = api.request({ path: "/x", timeout: 20 });
    await expect(request).rejects.toMatchObject({ code: "KUBE_TIMEOUT" });
    api.close();
    await server[Symbol.asyncDispose]();
  });

  it("credentials that take for ever: within the request's time", async () => {
    const { server, api } = await open();
    const cluster = {
      ...directCluster({ server: server.url }),
      credentials: () => new Promise<never>(() => undefined),
    };
    const slow = createKubeApi(cluster);
    const request = slow.request({ path: "/x", timeout: 20 });
    await expect(request).rejects.toMatchObject({ code: "KUBE_TIMEOUT" });
    expect(server.requests).toEqual([]);
    api.close();
    await server[Symbol.asyncDispose]();
  });

  it("an abort: its reason, and no connection left", async () => {
    const { server, api } = await open();
    const stop = new AbortController();
    const reason = new Error("enough");
    const requests = [
      api.request({ path: "/x", signal: stop.signal }),
      api.stream({ path: "/y", signal: stop.signal, onLine: () => undefined }),
    ].map((promise) => promise.catch((error: unknown) => error));
    await expect.poll(() => server.requests.length).toBe(2);
    stop.abort(reason);
    expect(await Promise.all(requests)).toEqual([reason, reason]);
    const sockets = server.requests.map(({ socket }) => socket);
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
    api.close();
    await server[Symbol.asyncDispose]();
  });

  it("a close: requests under way fail, and later ones", async () => {
    const { server, api } = await open();
    const request = api.request({ path: "/x" }).catch((error: unknown) => error);
    await expect.poll(() => server.requests.length).toBe(1);
    api.close();
    expect(isMusterError(await request)).toBe(true);
    await expect(api.request({ path: "/x" })).rejects.toMatchObject({ code: "KUBE_UNAVAILABLE" });
    expect(server.requests.length).toBe(1);
    await server[Symbol.asyncDispose]();
  });
});
