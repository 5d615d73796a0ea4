import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PrometheusAuthConfig } from "../src/index.ts";
import { endpointAt, openSource, pollOnce } from "./support/poll.ts";
import { serve } from "./support/server.ts";

/** A server that wants a token, which may change. */
async function serveToken(state: { token: string; status?: number }) {
  const { port } = await serve((request, response) => {
    const known = request.headers.authorization === `Bearer ${state.token}`;
    response.statusCode = known ? 200 : (state.status ?? 401);
    response.end(known ? "a 1\n" : '{"detail":"no"}');
  });
  return endpointAt(port);
}

const failing = async (auth: PrometheusAuthConfig | undefined, status: number) => {
  const endpoint = await serveToken({ token: "right", status });
  return pollOnce(openSource({ auth }), endpoint).then(
    () => ({ code: "none", message: "" }),
    (error: { code: string; message: string }) => error,
  );
};

describe("servers that want to know who asks", () => {
  it("are shown the token", async () => {
    const endpoint = await serveToken({ token: "right" });
    const auth = { bearerToken: "right", hosts: ["127.0.0.0/8"] };
    expect((await pollOnce(openSource({ auth }), endpoint)).family("a")).toBeDefined();
  });

  it.each([401, 403])("%s is an authentication failure that says what was sent", async (status) => {
    const wrong = await failing({ bearerToken: "wrong", hosts: ["127.0.0.1"] }, status);
    expect(wrong.code).toBe("SCRAPE_AUTH");
    expect(wrong.message).toMatch(new RegExp(String.raw`answered ${status} "{\\"detail.*refused`));
    expect(wrong.message).not.toContain("wrong");
    const unbound = await failing({ bearerToken: "right", hosts: ["10.0.0.0/8"] }, status);
    expect(unbound).toMatchObject({ code: "SCRAPE_AUTH" });
    expect(unbound.message).toContain("auth.hosts does not list 127.0.0.1");
    expect((await failing(undefined, status)).message).toContain("no credentials");
  });

  it("get the new token after they refused the old one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "muster-token-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const bearerTokenFile = join(folder, "token");
    writeFileSync(bearerTokenFile, "one\n");
    const state = { token: "one" };
    const endpoint = await serveToken(state);
    const source = openSource({ auth: { bearerTokenFile, hosts: ["127.0.0.1"] } });
    await pollOnce(source, endpoint);
    state.token = "second";
    writeFileSync(bearerTokenFile, "second\n");
    await expect(pollOnce(source, endpoint)).rejects.toMatchObject({ code: "SCRAPE_AUTH" });
    expect((await pollOnce(source, endpoint)).family("a")).toBeDefined();
  });

  it("are not asked at all while the token cannot be read", async () => {
    const endpoint = await serveToken({ token: "right" });
    const auth = { bearerTokenFile: "/nowhere/token", hosts: ["*"] };
    await expect(pollOnce(openSource({ auth }), endpoint)).rejects.toMatchObject({
      code: "SCRAPE_CREDENTIALS",
    });
  });
});

describe("headers", () => {
  it("go to every server, secret ones to their hosts", async () => {
    const { port } = await serve(({ headers }, response) => {
      response.end(`a{scope="${headers["x-scope"]}",key="${headers["x-key"]}"} 1\n`);
    });
    const asked = async (hosts: string[]) => {
      const source = openSource({
        headers: { "x-scope": "fleet" },
        auth: { headers: { "x-key": "k" }, hosts },
      });
      return { ...(await pollOnce(source, endpointAt(port))).family("a")?.samples[0]?.labels };
    };
    expect(await asked(["127.0.0.1"])).toEqual({ scope: "fleet", key: "k" });
    expect(await asked(["10.0.0.0/8"])).toEqual({ scope: "fleet", key: "undefined" });
  });

  it("ask for classic text, and for gzip only when told to", async () => {
    const { port } = await serve(({ headers }, response) => {
      response.end(`a{accept="${headers.accept}",encoding="${headers["accept-encoding"]}"} 1\n`);
    });
    const asked = async (compression: boolean) =>
      (await pollOnce(openSource({ compression }), endpointAt(port))).family("a")?.samples[0]
        ?.labels;
    expect((await asked(false))?.accept).toBe("text/plain;version=0.0.4,*/*;q=0.1");
    expect((await asked(false))?.encoding).toBe("identity");
    expect((await asked(true))?.encoding).toBe("gzip, deflate");
  });
});
