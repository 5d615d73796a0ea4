import { describe, expect, it } from "vitest";
import { createBench } from "./support.ts";

async function read(page: string) {
  const bench = createBench();
  await bench.poll(page);
  return { ...bench.endpoint.metrics, state: bench.state };
}

describe("section 8: data-parallel ranks", () => {
  it("counts are summed, usage averaged, and the per-rank values kept", async () => {
    const page = [
      'vllm:num_requests_running{engine="0"} 1',
      'vllm:num_requests_running{engine="1"} 4',
      'vllm:num_requests_waiting{engine="1"} 2',
      'vllm:kv_cache_usage_perc{engine="0"} 0.2',
      'vllm:kv_cache_usage_perc{engine="1"} 0.6\n',
    ].join("\n");
    const metrics = await read(page);
    expect(metrics).toMatchObject({ runningRequestsSize: 5, waitingQueueSize: 2 });
    expect(metrics.kvCacheUsagePercent).toBeCloseTo(0.4, 12);
    expect(metrics.state).toMatchObject({
      kvMax: 0.6,
      ranks: [
        { rank: "0", running: 1, waiting: null, kv: 0.2 },
        { rank: "1", running: 4, waiting: 2, kv: 0.6 },
      ],
    });
  });

  it("tensor, pipeline, expert and context ranks and process ids are never added", async () => {
    const repeated = ["tp_rank", "pp_rank", "moe_ep_rank", "cp_rank", "pid"].flatMap((label) => [
      `sglang:num_running_reqs{dp_rank="0",${label}="0"} 7`,
      `sglang:num_running_reqs{dp_rank="0",${label}="1"} 7`,
    ]);
    const page = `${repeated.join("\n")}\nsglang:num_running_reqs{dp_rank="1",tp_rank="8"} 2\n`;
    expect((await read(page)).runningRequestsSize).toBe(9);
  });

  it("a rank whose value is no number is unknown, and the sum is of the others", async () => {
    const page =
      'vllm:num_requests_running{engine="0"} NaN\nvllm:num_requests_running{engine="1"} 4\n';
    const { runningRequestsSize, state } = await read(page);
    expect(runningRequestsSize).toBe(4);
    expect(state?.ranks.map((rank) => rank.running)).toEqual([null, 4]);
  });

  it("lists no more than 1,024 ranks, and sums them all", async () => {
    const lines = Array.from({ length: 1100 }, (_, rank) => {
      return `vllm:num_requests_running{engine="${rank}"} 1`;
    });
    const { runningRequestsSize, state } = await read(`${lines.join("\n")}\n`);
    expect(runningRequestsSize).toBe(1100);
    expect(state?.ranks).toHaveLength(1024);
  });

  it("by both labels are told apart whatever their values", async () => {
    const page = ["ab c 1", "a bc 2"].map((each) => {
      const [engine, rank, value] = each.split(" ");
      return `vllm:num_requests_running{engine="${engine}",dp_rank="${rank}"} ${value}\n`;
    });
    const { runningRequestsSize, state } = await read(page.join(""));
    expect(runningRequestsSize).toBe(3);
    expect(state?.ranks.map(({ rank }) => rank)).toEqual(["ab/c", "a/bc"]);
  });

  it("a rank's name may be anything", async () => {
    const page = ['vllm:num_requests_running{engine="__proto__"} 1', ""].join("\n");
    expect((await read(page)).state?.ranks).toMatchObject([{ rank: "__proto__", running: 1 }]);
  });
});

describe("section 8: several models on one page of Triton are summed", () => {
  it("over model and version, usage averaged", async () => {
    const page = ["a", "b"].flatMap((model, index) => [
      `nv_trt_llm_request_metrics{request_type="waiting",model="${model}",version="1"} 3`,
      `nv_trt_llm_request_metrics{request_type="scheduled",model="${model}",version="1"} 4`,
      `nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="${model}",version="1"} 0.${index + 1}`,
      `nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="${model}",version="1"} 64`,
      `nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="${model}",version="1"} 10`,
    ]);
    const metrics = await read(`${page.join("\n")}\n`);
    expect(metrics).toMatchObject({
      waitingQueueSize: 6,
      runningRequestsSize: 8,
      cacheBlockSize: 64,
      cacheNumBlocks: 20,
      kvCacheMaxTokenCapacity: 1280,
    });
    expect(metrics.kvCacheUsagePercent).toBeCloseTo(0.15, 12);
    expect(metrics.state).toMatchObject({ kvMax: 0.2, ranks: [] });
  });

  it("other engines' models are not: a second name for one scheduler is no second scheduler", async () => {
    const page =
      'vllm:num_requests_running{engine="0",model_name="a"} 8\nvllm:num_requests_running{engine="0",model_name="b"} 8\n';
    const metrics = await read(page);
    expect(metrics.runningRequestsSize).toBe(8);
    expect(metrics.state?.modelName).toBe("a");
  });
});

describe("section 8: among matching series of one rank the newest timestamp wins, else the first", () => {
  it.each([
    ["the newest, wherever it stands", "1 1700000000000|2 1700000000002|3 1700000000001", 2],
    ["the first on a tie", "1 1700000000000|2 1700000000000", 1],
    ["one with a timestamp before one without", "1|2 1700000000000|3", 2],
    ["the first without timestamps", "1|2|3", 1],
  ])("%s", async (_, values, expected) => {
    const lines = values
      .split("|")
      .map((value, index) => `vllm:num_requests_running{x="${index}"} ${value}`);
    expect((await read(`${lines.join("\n")}\n`)).runningRequestsSize).toBe(expected);
  });
});

describe("section 8: cache geometry", () => {
  const info = (engine: number, size: string, blocks: string) =>
    `vllm:cache_config_info{engine="${engine}",block_size="${size}",num_gpu_blocks="${blocks}"} 1\n`;

  it("blocks are summed over ranks whose block size agrees", async () => {
    const metrics = await read(info(0, "16", "100") + info(1, "16", "50"));
    expect(metrics).toMatchObject({
      cacheBlockSize: 16,
      cacheNumBlocks: 150,
      kvCacheMaxTokenCapacity: 2400,
    });
  });

  it("a block size that does not agree is unknown and said to conflict", async () => {
    const page = info(0, "16", "100") + info(1, "32", "50");
    const metrics = await read(page);
    expect(metrics.cacheBlockSize).toBeUndefined();
    expect(metrics.kvCacheMaxTokenCapacity).toBeUndefined();
    expect(metrics.cacheNumBlocks).toBe(150);
    const { extractor, parse } = createBench();
    expect(extractor.explain(parse(page)).missing).toContainEqual({
      metric: "cacheBlockSize",
      reason: "conflicting",
    });
  });

  it.each(["None", "0", "-1", "1e3", "0x10", "16 blocks", "NaN", "9999999999999999"])(
    'a label "%s" is no number of blocks',
    async (text) => {
      expect((await read(info(0, text, text))).readAt).toEqual({});
    },
  );

  it.each(["0", "16.5", "1e200", "-16", "NaN"])("a gauge of %s is none either", async (value) => {
    const page = `sglang:page_size ${value}\nsglang:num_pages ${value}\n`;
    expect((await read(page)).readAt).toEqual({});
  });

  it("SGLang's gauges since 0.5.12 come before its former labels", async () => {
    const labels = 'sglang:cache_config_info{page_size="1",num_pages="2"} 1\n';
    expect(await read(labels)).toMatchObject({ cacheBlockSize: 1, cacheNumBlocks: 2 });
    const gauges = `${labels}sglang:page_size 16\nsglang:num_pages 10\n`;
    expect(await read(gauges)).toMatchObject({ cacheBlockSize: 16, cacheNumBlocks: 10 });
  });
});

describe("section 8: NaN and negative values are rejected", () => {
  it.each(["NaN", "+Inf", "-Inf", "-1"])("%s is unknown in every field", async (value) => {
    const page = `vllm:num_requests_running ${value}\nvllm:num_requests_waiting ${value}\nvllm:kv_cache_usage_perc ${value}\n`;
    expect((await read(page)).readAt).toEqual({});
  });

  it("a usage that rounds above full is full; one in percent is unknown", async () => {
    const usage = async (value: number) =>
      (await read(`vllm:kv_cache_usage_perc ${value}\n`)).kvCacheUsagePercent;
    expect(await usage(1)).toBe(1);
    expect(await usage(1.02)).toBe(1);
    expect(await usage(42)).toBeUndefined();
  });
});

describe("section 8: names change, the first present wins", () => {
  it("a family without samples is not present", async () => {
    const page =
      "# TYPE vllm:kv_cache_usage_perc gauge\nvllm:gpu_cache_usage_perc 0.4\nvllm:num_requests_running 1\n";
    expect((await read(page)).kvCacheUsagePercent).toBe(0.4);
  });
});
