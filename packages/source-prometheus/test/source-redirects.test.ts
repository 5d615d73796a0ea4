import { describe, expect, it } from "vitest";
import { endpointAt, openSource, pollOnce } from "./support/poll.ts";
import { serve } from "./support/server.ts";

/** A server that redirects some paths, and says which were asked. */
async function serveRedirects(redirects: Record<string, string>, status = 307) {
  const asked: string[] = [];
  const server = await serve((request, response) => {
    const { url = "", headers } = request;
    asked.push(headers.authorization ? `${url} ${headers.authorization}` : url);
    const location = redirects[url];
    if (location === undefined) response.end("a 1\n");
    else {
      response.statusCode = status;
      response
        .setHeader("location", location.replace("ORIGIN", `http://${headers.host}`))
        .end("moved");
    }
  });
  return { ...server, port: server.port, asked };
}

const refused = (text: string) =>
  expect.objectContaining({ code: "SCRAPE_REDIRECT", message: expect.stringContaining(text) });

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])(
    "%s to the same origin is followed and remembered",
    async (status) => {
      const { port, asked } = await serveRedirects({ "/metrics": "/metrics/" }, status);
      const source = openSource();
      const endpoint = endpointAt(port);
      for (const _ of [1, 2]) expect((await pollOnce(source, endpoint)).family("a")).toBeDefined();
      expect(asked).toEqual(["/metrics", "/metrics/", "/metrics/"]);
      source.release?.(endpoint.id);
      await pollOnce(source, endpoint);
      expect(asked.slice(3)).toEqual(["/metrics", "/metrics/"]);
    },
  );

  it("may be absolute, or relative, with a query", async () => {
    for (const location of ["ORIGIN/m?x=1#y", "m?x=1"]) {
      const { port, asked } = await serveRedirects({ "/metrics": location });
      await pollOnce(openSource(), endpointAt(port));
      expect(asked[1]).toBe("/m?x=1");
    }
  });

  it("keep the credentials, which stay on their host", async () => {
    const { port, asked } = await serveRedirects({ "/metrics": "/m" });
    const auth = { bearerToken: "t", hosts: ["127.0.0.1"] };
    await pollOnce(openSource({ auth }), endpointAt(port));
    expect(asked).toEqual(["/metrics Bearer t", "/m Bearer t"]);
  });

  it.each([
    ["another host", "http://169.254.169.254/latest/meta-data/"],
    ["another port", "http://127.0.0.1:1/metrics"],
    ["another scheme", "https://127.0.0.1/metrics"],
    ["another host, without scheme", "//evil.test/metrics"],
    ["a user", "http://user:password@127.0.0.1/metrics"],
    ["no URL", "http://"],
    ["nowhere", ""],
    ["the same path", "/metrics"],
    ["a path without end", `/${"x".repeat(3000)}`],
    ["a file", "file:///etc/passwd"],
  ])("to %s are refused", async (_, location) => {
    const { port, asked } = await serveRedirects({ "/metrics": location });
    await expect(pollOnce(openSource(), endpointAt(port))).rejects.toEqual(refused("answered 307"));
    expect(asked).toEqual(["/metrics"]);
  });

  it("are followed once only", async () => {
    const { port, asked } = await serveRedirects({ "/metrics": "/1", "/1": "/2" });
    const failure = pollOnce(openSource(), endpointAt(port));
    await expect(failure).rejects.toEqual(refused("redirects again"));
    expect(asked).toEqual(["/metrics", "/1"]);
  });

  it("are forgotten when the remembered path fails", async () => {
    const redirects: Record<string, string> = { "/metrics": "/old" };
    const { port, asked } = await serveRedirects(redirects);
    const source = openSource();
    const endpoint = endpointAt(port);
    await pollOnce(source, endpoint);
    Object.assign(redirects, { "/metrics": "/new", "/old": "/new" });
    await expect(pollOnce(source, endpoint)).rejects.toEqual(refused("redirected to before"));
    await pollOnce(source, endpoint);
    expect(asked).toEqual(["/metrics", "/old", "/old", "/metrics", "/new"]);
  });

  it("never show text of the server raw", async () => {
    const { port } = await serveRedirects({ "/metrics": "http://x/\u0085\u00ff" });
    await expect(pollOnce(openSource(), endpointAt(port))).rejects.toEqual(refused(String.raw`\x`));
  });
});
