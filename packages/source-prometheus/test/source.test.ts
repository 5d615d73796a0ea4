import { createEndpointMetadata } from "@muster/core";
import { createFakeTransport, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { createPrometheusSource } from "../src/index.ts";
import { collector, endpointAt, openSource, pollOnce } from "./support/poll.ts";
import { certificatePath, serve, serveTls } from "./support/server.ts";

const signal = new AbortController().signal;
const value = async (page: ReturnType<typeof pollOnce>) =>
  (await page).family("a")?.samples[0]?.value;

describe("where an endpoint is polled", () => {
  const echo = () =>
    serve((request, response) => {
      response.end(`a{path="${request.url}",host="${request.headers.host}"} 1\n`);
    });
  const asked = async (page: ReturnType<typeof pollOnce>) => ({
    ...(await page).family("a")?.samples[0]?.labels,
  });

  it("is /metrics at its serving address by default", async () => {
    const { port } = await echo();
    const labels = await asked(pollOnce(openSource(), endpointAt(port)));
    expect(labels).toEqual({ path: "/metrics", host: `127.0.0.1:${port}` });
  });

  it("is what the source says", async () => {
    const { port } = await echo();
    const source = openSource({ port: Number(port), path: "/prometheus/metrics?x=1" });
    expect(await asked(pollOnce(source, endpointAt("1")))).toMatchObject({
      path: "/prometheus/metrics?x=1",
    });
  });

  it("is, before that, what the endpoint says", async () => {
    const { port } = await echo();
    const source = openSource({ port: 1, path: "/elsewhere", scheme: "https" });
    const metrics = { scheme: "http", address: "127.0.0.1", port, path: "/own" } as const;
    const endpoint = endpointAt("2", { address: "192.0.2.1", metrics });
    expect(await asked(pollOnce(source, endpoint))).toMatchObject({ path: "/own" });
  });

  it("follows the endpoint's metadata", async () => {
    const [one, two] = [await echo(), await echo()];
    const source = openSource();
    const endpoint = endpointAt(one.port);
    await pollOnce(source, endpoint);
    endpoint.updateMetadata(
      createEndpointMetadata({ name: "a", address: "127.0.0.1", port: two.port }),
    );
    expect((await asked(pollOnce(source, endpoint))).host).toBe(`127.0.0.1:${two.port}`);
  });

  it("can be a TLS server with private authority and client certificate", async () => {
    const { port } = await serveTls((_, response) => response.end("a 1\n"), {
      requestCert: true,
      rejectUnauthorized: false,
    });
    const config = {
      scheme: "https",
      serverName: "model.test",
      caCertPath: certificatePath("ca"),
      clientCertPath: certificatePath("client"),
      clientKeyPath: certificatePath("client-key"),
    } as const;
    expect(await value(pollOnce(openSource(config), endpointAt(port)))).toBe(1);
    await expect(pollOnce(openSource({ scheme: "https" }), endpointAt(port))).rejects.toMatchObject(
      {
        code: "SCRAPE_TLS",
      },
    );
    const unverified = openSource({ scheme: "https", insecureSkipVerify: true });
    expect(await value(pollOnce(unverified, endpointAt(port)))).toBe(1);
  });

  it.each([
    ["no such file", "/nowhere/ca.pem"],
    ["no certificate", new URL(import.meta.url).pathname],
  ])("is not polled with %s for an authority", async (_, caCertPath) => {
    const source = openSource({ scheme: "https", caCertPath });
    await expect(pollOnce(source, endpointAt("1"))).rejects.toMatchObject({
      code: "SCRAPE_CREDENTIALS",
      path: caCertPath,
    });
  });
});

describe("what a poll gives", () => {
  it("is the union of what the extractors want", async () => {
    const { port } = await serve((_, response) => response.end("a 1\nb 2\nc 3\n"));
    const source = openSource();
    const [first, second] = [collector(["a"]), collector(["c", "a"])];
    source.appendExtractor(first);
    await source.dispatch(endpointAt(port), { signal });
    source.appendExtractor(second);
    await source.dispatch(endpointAt(port), { signal });
    const names = [...first.pages, ...second.pages].map((page) =>
      [...page.families()].map((family) => family.name).join(),
    );
    expect(names).toEqual(["a", "a,c", "a,c"]);
  });

  it("is everything for an extractor that does not say what it wants", async () => {
    const { port } = await serve((_, response) => response.end("a 1\nb 2\n"));
    const source = openSource();
    const { families: _, ...careless } = collector([]);
    source.appendExtractor(careless);
    await source.dispatch(endpointAt(port), { signal });
    expect([...(careless.pages[0]?.families() ?? [])]).toHaveLength(2);
  });

  it("is parsed by the type the server states", async () => {
    let type = "application/openmetrics-text; version=1.0.0";
    const { port } = await serve((_, response) => {
      response.setHeader("content-type", type).end("# TYPE a counter\na_total 1 1.5\n# EOF\n");
    });
    const source = openSource();
    const page = await pollOnce(source, endpointAt(port));
    expect([page.format, page.family("a_total")?.samples[0]?.timestamp]).toEqual([
      "openmetrics",
      1500,
    ]);
    type = "text/html";
    await expect(pollOnce(source, endpointAt(port))).rejects.toMatchObject({
      code: "SCRAPE_CONTENT_TYPE",
      message: expect.stringContaining('status 200, content-type "text/html", begins "# TYPE'),
    });
  });

  it("is counted: bytes, and lines that could not be understood", async () => {
    const metrics = createRecordingMeter();
    const { port } = await serve((_, response) => response.end("a 1\na{ 2\n"));
    const source = openSource({}, { metrics });
    await pollOnce(source, endpointAt(port));
    await pollOnce(source, endpointAt(port));
    const labels = { source_type: "metrics-data-source" };
    expect(metrics.value("muster_datalayer_scrape_bytes_total", labels)).toBe(18);
    expect(metrics.value("muster_datalayer_skipped_lines_total", labels)).toBe(2);
  });

  it("is limited in size", async () => {
    const { port } = await serve((_, response) => response.end("a 1\n".repeat(1000)));
    const source = openSource({ maxBodyBytes: 1024 });
    await expect(pollOnce(source, endpointAt(port))).rejects.toMatchObject({
      code: "SCRAPE_TOO_LARGE",
    });
  });

  it("section 3: has a time-out of its own, 1 s unless it is told another", async () => {
    const transport = createFakeTransport(() => "a 1\n");
    for (const config of [{}, { timeout: "3s" }])
      await pollOnce(createPrometheusSource({ config, transport }), endpointAt("1"));
    expect(transport.requests.map(({ timeout }) => timeout)).toEqual([1000, 3000]);
  });

  it("comes in time, or not at all", async () => {
    const { port } = await serve((_, response) => void response.write("a 1\n"));
    const source = openSource({ timeout: "40ms" });
    await expect(pollOnce(source, endpointAt(port))).rejects.toMatchObject({
      code: "SCRAPE_TIMEOUT",
      message: expect.stringMatching(/4 bytes, but not all of the page, within 40 ms$/),
    });
  });
});
