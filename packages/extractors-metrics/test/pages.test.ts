import { describe, expect, it } from "vitest";
import { createBench, fixture } from "./support.ts";

/** Values of a page by field, unknown ones left out. */
type Expected = Readonly<Record<string, number>>;

const vllm: Expected = {
  waitingQueueSize: 3,
  runningRequestsSize: 8,
  kvCacheUsagePercent: 0.4265873015873016,
  cacheBlockSize: 16,
  cacheNumBlocks: 27896,
  kvCacheMaxTokenCapacity: 446336,
};
const sglang: Expected = {
  waitingQueueSize: 2,
  runningRequestsSize: 7,
  kvCacheUsagePercent: 0.4133,
};

const pages: readonly [file: string, engine: string, expected: Expected, model: string | null][] = [
  [
    "vllm-0.8.1-v1-numgpublocks-none.prom",
    "vllm",
    {
      waitingQueueSize: 3,
      runningRequestsSize: 8,
      kvCacheUsagePercent: 0.4265873015873016,
      cacheBlockSize: 16,
    },
    "meta-llama/Llama-2-7b-hf",
  ],
  ["vllm-0.10.0-v1.prom", "vllm", vllm, "meta-llama/Llama-3.1-8B-Instruct"],
  ["vllm-0.11.0-v1.prom", "vllm", vllm, "meta-llama/Llama-3.1-8B-Instruct"],
  ["vllm-0.11.0-v1-lora.prom", "vllm", vllm, "meta-llama/Llama-3.1-8B-Instruct"],
  ["vllm-main-2026-v1.prom", "vllm", vllm, "meta-llama/Llama-3.1-8B-Instruct"],
  [
    "vllm-main-2026-rustfrontend.openmetrics.prom",
    "vllm",
    vllm,
    "meta-llama/Llama-3.1-8B-Instruct",
  ],
  [
    "vllm-0.11.0-v1-idle-fresh.prom",
    "vllm",
    { ...vllm, waitingQueueSize: 0, runningRequestsSize: 0, kvCacheUsagePercent: 0 },
    "meta-llama/Llama-3.1-8B-Instruct",
  ],
  [
    "vllm-0.11.0-v1-dp2.prom",
    "vllm",
    {
      waitingQueueSize: 14,
      runningRequestsSize: 37,
      kvCacheUsagePercent: 0.4965,
      cacheBlockSize: 16,
      cacheNumBlocks: 55792,
      kvCacheMaxTokenCapacity: 892672,
    },
    "deepseek-ai/DeepSeek-V3",
  ],
  ["sglang-0.4.4.prom", "sglang", sglang, "meta-llama/Llama-3.1-8B-Instruct"],
  [
    "sglang-0.5.9-cacheconfiginfo.prom",
    "sglang",
    {
      ...sglang,
      cacheBlockSize: 16,
      cacheNumBlocks: 35686,
      kvCacheMaxTokenCapacity: 570979,
    },
    "meta-llama/Llama-3.1-8B-Instruct",
  ],
  [
    "sglang-0.5.12-dp2.prom",
    "sglang",
    {
      waitingQueueSize: 2,
      runningRequestsSize: 8,
      kvCacheUsagePercent: 0.2327,
      cacheBlockSize: 16,
      cacheNumBlocks: 71372,
      kvCacheMaxTokenCapacity: 1141958,
    },
    "meta-llama/Llama-3.1-8B-Instruct",
  ],
  // 1.0 measures no load at all: unknown, and yet the server is there
  ["trtllm-serve-1.0-unprefixed.prom", "trtllm-serve", {}, null],
  [
    "triton-tensorrt-llm-25.prom",
    "triton-tensorrt-llm",
    {
      waitingQueueSize: 3,
      runningRequestsSize: 8,
      kvCacheUsagePercent: 0.4875,
      cacheBlockSize: 64,
      cacheNumBlocks: 6239,
      kvCacheMaxTokenCapacity: 399296,
    },
    null,
  ],
  ["triton-core-25.prom", "triton", { waitingQueueSize: 3 }, null],
  [
    "tgi-3.3.prom",
    "tgi",
    { waitingQueueSize: 3, runningRequestsSize: 8, kvCacheMaxTokenCapacity: 571200 },
    null,
  ],
  [
    "llamacpp-server-2024-kvratio.prom",
    "llamacpp",
    { waitingQueueSize: 46, runningRequestsSize: 4, kvCacheUsagePercent: 0.4375 },
    null,
  ],
];

function contentTypeOf(file: string): string {
  return file.includes("openmetrics")
    ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
    : "text/plain; version=0.0.4; charset=utf-8";
}

describe.each(pages)("section 8: %s", (file, engine, expected, model) => {
  it(`is a page of ${engine} and gives its values`, async () => {
    const bench = createBench();
    const contentType = contentTypeOf(file);
    await bench.poll(fixture(file), contentType);
    const { metrics } = bench.endpoint;
    const known = Object.fromEntries(
      Object.entries(metrics).filter(([field]) => field in metrics.readAt),
    );
    expect(known).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([field, value]) => [field, expect.closeTo(value, 12)]),
      ),
    );
    expect(bench.state).toMatchObject({ engine, modelName: model });
    const explained = bench.extractor.explain(bench.parse(fixture(file), contentType));
    expect(explained.metrics).toEqual(known);
    expect(explained.state).toEqual(bench.state);
    // what is missing is what the engine has in some version, and this page has not
    for (const { metric } of explained.missing) expect(known[metric]).toBeUndefined();
  });
});

describe("section 8: pages that are nobody's", () => {
  it.each(["llm-d-epp-pool-aggregate.prom", "dcgm-exporter-4.x-daemonset.prom"])(
    "%s has no known engine",
    async (file) => {
      const bench = createBench();
      expect(await bench.failure(fixture(file))).toBe("EXTRACT_NO_ENGINE");
      expect(bench.endpoint.metrics.updateTime).toBeUndefined();
      expect(bench.endpoint.attributes.keys()).toEqual([]);
    },
  );
});

describe("explain", () => {
  it("says what a page lacks, and why", () => {
    const { extractor, parse } = createBench();
    const page = parse(fixture("vllm-0.8.1-v1-numgpublocks-none.prom"));
    expect(extractor.explain(page).missing).toEqual([
      { metric: "cacheNumBlocks", reason: "invalid" },
    ]);
    expect(extractor.explain(page, { engine: "sglang" }).engine).toBe("vllm");
  });

  it("keeps the per-rank view of the real data-parallel pages", () => {
    const { extractor, parse } = createBench();
    const explain = (file: string) => extractor.explain(parse(fixture(file))).state;
    expect(explain("vllm-0.11.0-v1-dp2.prom")).toMatchObject({
      kvMax: 0.981,
      ranks: [
        { rank: "0", running: 0, waiting: 0, kv: 0.012 },
        { rank: "1", running: 37, waiting: 14, kv: 0.981 },
      ],
    });
    expect(explain("sglang-0.5.12-dp2.prom")).toMatchObject({
      kvMax: 0.4133,
      ranks: [
        { rank: "0", running: 7, waiting: 2, kv: 0.4133 },
        { rank: "1", running: 1, waiting: 0, kv: 0.0521 },
      ],
    });
    expect(explain("sglang-0.5.9-cacheconfiginfo.prom").ranks).toEqual([]);
  });
});
