import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { InspectReport } from "../src/inspect/inspect-page.ts";
import { fixture, serve, servePage } from "./page-server.ts";
import { runCli } from "./run-cli.ts";

const page = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/metrics/${name}`, import.meta.url));

const inspect = async (...args: string[]): Promise<{ code: number; report: InspectReport }> => {
  const { code, out } = await runCli(["inspect", ...args, "--json"]);
  return { code, report: JSON.parse(out) as InspectReport };
};

describe("muster inspect", () => {
  it.each([
    ["vllm-0.11.0-v1-dp2.prom", "vllm"],
    ["vllm-main-2026-v1.prom", "vllm"],
    ["sglang-0.5.12-dp2.prom", "sglang"],
    ["sglang-0.4.4.prom", "sglang"],
    ["trtllm-serve-1.0-unprefixed.prom", "trtllm-serve"],
    ["triton-core-25.prom", "triton"],
    ["triton-tensorrt-llm-25.prom", "triton-tensorrt-llm"],
    ["tgi-3.3.prom", "tgi"],
    ["llamacpp-server-2024-kvratio.prom", "llamacpp"],
  ])("knows the engine of %s", async (file, engine) => {
    const { code, report } = await inspect(page(file));
    expect(report).toMatchObject({ engine, skipped: 0, error: null });
    expect(code).toBe(0);
  });

  it.each([
    [
      "when told the content type",
      ["--content-type", "application/openmetrics-text; version=1.0.0"],
    ],
    ["by the end of the file", []],
  ])("reads OpenMetrics %s", async (_, args) => {
    const { report } = await inspect(page("vllm-main-2026-rustfrontend.openmetrics.prom"), ...args);
    expect(report).toMatchObject({ engine: "vllm", skipped: 0, error: null });
  });

  it("names the fields that are missing", async () => {
    const { report } = await inspect(page("quirks/nan-inf.prom"));
    expect(report.missing).toEqual(
      expect.arrayContaining(["runningRequestsSize", "waitingQueueSize", "kvCacheUsagePercent"]),
    );
  });

  it("reads as the engine it is told, and refuses one it does not know", async () => {
    const { report } = await inspect(
      page("vllm-0.11.0-v1.prom"),
      "--engine",
      "llm-d-inference-sim",
    );
    expect(report.engine).toBe("llm-d-inference-sim");
    const unknown = await runCli(["inspect", page("vllm-0.11.0-v1.prom"), "--engine", "vlm"]);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(/"vlm".*vllm/);
  });

  it("counts lines it cannot understand", async () => {
    await using server = await servePage(
      new TextEncoder().encode('vllm:num_requests_waiting 1\nvllm:num_requests_running{a="b} 2\n'),
    );
    const { report } = await inspect(`${server.url}/metrics`);
    expect(report).toMatchObject({ skipped: 1, metrics: { waitingQueueSize: 1 }, error: null });
  });

  it("says what to do when trtllm-serve answers JSON", async () => {
    await using server = await servePage(fixture("trtllm-serve-metrics-endpoint.json.txt"), {
      "content-type": "application/json",
    });
    const { code, report } = await inspect(`${server.url}/metrics`);
    expect(code).toBe(1);
    expect(report.error?.code).toBe("SCRAPE_CONTENT_TYPE");
    expect(report.error?.message).toContain("/prometheus/metrics");
  });

  it("gives up on a server that hangs", async () => {
    await using server = await serve(() => undefined);
    const { code, report } = await inspect(server.url, "--timeout", "100ms");
    expect(code).toBe(1);
    expect(report.error?.code).toBe("SCRAPE_TIMEOUT");
  });

  it("says only what went wrong when it could read nothing", async () => {
    const { code, out } = await runCli(["inspect", page("no-such.prom")]);
    expect(code).toBe(1);
    expect(out).toMatch(/^error {2}.*no-such\.prom.*\[NOT_FOUND\]\n$/);
  });

  it("shows text from the page without letting it drive the terminal", async () => {
    const hostile = 'vllm:num_requests_running{model_name="\u001b[2Jx"} 1\n';
    await using server = await servePage(new TextEncoder().encode(hostile));
    const { out } = await runCli(["inspect", `${server.url}/metrics`]);
    expect(out).toContain("engine");
    expect(out).not.toContain("\u001b");
  });

  it.each([
    [["inspect"], /missing required argument/],
    [["inspect", "x", "--nope"], /unknown option '--nope'/],
    [["inspect", "http://u:p@127.0.0.1/"], /bearer-token-file/],
    [["inspect", "x", "--max-bytes", "0"], /whole number from 1/],
  ])("explains the wrong call %j", async (args, message) => {
    const { code, err } = await runCli(args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
