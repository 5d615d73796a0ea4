import { describe, expect, it } from "vitest";
import type { ResolveAll, TlsOptions } from "../src/index.ts";
import { ask, openTransport, textOf } from "./support/ask.ts";
import { certificate, serve, serveTls } from "./support/server.ts";

const ca = certificate("ca");
const client = { cert: certificate("client"), key: certificate("client-key") };
const resolve: ResolveAll = (_name, _options, done) =>
  done(null, [{ address: "127.0.0.1", family: 4 }]);
const handler: Parameters<typeof serveTls>[0] = (request, response) => {
  response.end(`${request.headers.host}`);
};

const over = (port: string, tls: TlsOptions | undefined, address = "model.test") =>
  ask(openTransport({ tls, resolve }), { scheme: "https", address, port });

describe("TLS", () => {
  it("trusts the given authority and checks the host's name", async () => {
    const { port } = await serveTls(handler);
    expect(textOf(await over(port, { ca }))).toBe(`model.test:${port}`);
  });

  it("asks for and checks the given server name instead", async () => {
    const { port } = await serveTls(handler);
    const answer = await over(port, { ca, serverName: "model.test" }, "127.0.0.1");
    expect(textOf(answer)).toBe(`127.0.0.1:${port}`);
  });

  it("shows a client certificate", async () => {
    const { port } = await serveTls(handler, { ca, requestCert: true, rejectUnauthorized: true });
    expect((await over(port, { ca, ...client })).status).toBe(200);
    await expect(over(port, { ca })).rejects.toMatchObject({
      code: expect.stringMatching(/^SCRAPE_(TLS|CONNECT)$/),
    });
  });

  it.each([
    ["an authority that is not trusted", undefined, "model.test"],
    ["a certificate for another name", { ca }, "127.0.0.1"],
    ["a certificate for another server name", { ca, serverName: "other.test" }, "model.test"],
  ])("refuses %s, unless told not to verify", async (_, tls, address) => {
    const { port } = await serveTls(handler);
    const failure = over(port, tls, address);
    await expect(failure).rejects.toMatchObject({
      code: "SCRAPE_TLS",
      message: expect.stringContaining("check caCertPath"),
    });
    expect((await over(port, { ...tls, verify: false }, address)).status).toBe(200);
  });

  it("refuses a server that speaks plain HTTP", async () => {
    const { port } = await serve(handler);
    await expect(over(port, { ca })).rejects.toMatchObject({ code: "SCRAPE_TLS" });
  });

  it("belongs to one transport and never leaks into another", async () => {
    const { port } = await serveTls(handler);
    expect((await over(port, { verify: false })).status).toBe(200);
    await expect(over(port, undefined)).rejects.toMatchObject({ code: "SCRAPE_TLS" });
    expect((await over(port, { ca })).status).toBe(200);
    await expect(over(port, {})).rejects.toMatchObject({ code: "SCRAPE_TLS" });
  });

  it("takes over settings that changed, for new connections only", async () => {
    const server = await serveTls(handler);
    let tls: TlsOptions = { ca };
    const transport = openTransport({ tls: async () => tls, resolve });
    const once = () =>
      ask(transport, { scheme: "https", address: "model.test", port: server.port });
    await once();
    await once();
    expect(server.connections).toBe(1);
    tls = { ca, serverName: "other.test" };
    await expect(once()).rejects.toMatchObject({ code: "SCRAPE_TLS" });
    await server.open(0);
    tls = { ca };
    expect((await once()).status).toBe(200);
  });
});
