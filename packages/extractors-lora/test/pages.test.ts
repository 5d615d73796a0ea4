import { describe, expect, it } from "vitest";
import { createBench, fixture, fixtureTime } from "./support.ts";

interface Quirk {
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly note: string;
}

const quirks = JSON.parse(fixture("quirks/expected.json").toString()) as readonly Quirk[];
const mine = quirks.filter(({ file }) => file.startsWith("lora-"));

describe("quirks", () => {
  it("has entries about LoRA", () => {
    expect(mine).toHaveLength(4);
  });

  it.each(mine)("$file: $note", async ({ file, headers, expect: wanted }) => {
    const bench = createBench();
    await bench.poll(fixture(`quirks/${file}`), headers["content-type"]);
    expect(bench.state?.active).toEqual(wanted.loraRunning);
    expect(bench.state?.waiting).toEqual(wanted.loraWaiting ?? []);
    expect(bench.state?.max).toBe(wanted.maxLora);
    const { activeModels, waitingModels, maxActiveModels } = bench.endpoint.metrics;
    expect(Object.keys(activeModels ?? {})).toEqual(wanted.loraRunning);
    expect(Object.keys(waitingModels ?? {})).toEqual(wanted.loraWaiting ?? []);
    expect(maxActiveModels ?? null).toBe(wanted.maxLora);
  });
});

describe("section 9: real pages", () => {
  it("vLLM 0.11 after several combinations: the last one seen", async () => {
    const bench = createBench();
    await bench.poll(fixture("vllm-0.11.0-v1-lora.prom"));
    expect(bench.state).toEqual({
      active: ["tweet-summary"],
      waiting: [],
      max: 4,
      lastSeen: fixtureTime * 1000,
    });
  });

  it("vLLM's OpenMetrics page", async () => {
    const bench = createBench();
    await bench.poll(
      fixture("vllm-main-2026-rustfrontend.openmetrics.prom"),
      "application/openmetrics-text; version=1.0.0",
    );
    expect(bench.state).toEqual({
      active: ["sql-lora"],
      waiting: [],
      max: 4,
      lastSeen: fixtureTime * 1000 + 250,
    });
  });

  it.each([
    "vllm-0.11.0-v1.prom",
    "sglang-0.5.12-dp2.prom",
    "trtllm-serve-1.0-unprefixed.prom",
    "triton-tensorrt-llm-25.prom",
    "triton-core-25.prom",
    "tgi-3.3.prom",
    "llamacpp-server-2024-kvratio.prom",
    "dcgm-exporter-4.x-daemonset.prom",
  ])("%s has no adapters, which is no error and says nothing", async (file) => {
    const bench = createBench();
    for (let turn = 0; turn < 4; turn++) await bench.poll(fixture(file));
    expect(bench.state).toBeUndefined();
    expect(bench.endpoint.metrics.updateTime).toBeUndefined();
  });
});
