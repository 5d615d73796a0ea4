import { engines } from "@muster/extractors-metrics";
import { describe, expect, it } from "vitest";
import { createBench, fixture, vllmPage } from "./support.ts";

const label = "llm-d.ai/engine-type";
const sglangPage = "sglang:num_running_reqs 7\nsglang:num_queue_reqs 2\nsglang:token_usage 0.4\n";
const acme = {
  name: "acme",
  queuedRequestsSpec: "vllm:num_requests_waiting",
  runningRequestsSpec: "acme_running",
};

describe("section 8: the engine is chosen by the endpoint's label", () => {
  it("reads the engine the label names although the page is another's as well", async () => {
    const bench = createBench({}, { [label]: "triton" });
    await bench.poll(fixture("triton-tensorrt-llm-25.prom"));
    expect(bench.state?.engine).toBe("triton");
    expect(bench.endpoint.metrics.waitingQueueSize).toBe(3);
    expect(bench.endpoint.metrics.runningRequestsSize).toBeUndefined();
  });

  it("reads the former label, and another one by engineLabelKey", async () => {
    const former = createBench({}, { "inference.networking.k8s.io/engine-type": "triton" });
    await former.poll(fixture("triton-tensorrt-llm-25.prom"));
    expect(former.state?.engine).toBe("triton");
    const other = createBench({ engineLabelKey: "engine" }, { engine: "triton" });
    await other.poll(fixture("triton-tensorrt-llm-25.prom"));
    expect(other.state?.engine).toBe("triton");
  });

  it("only a label tells the simulator from vLLM", async () => {
    const bench = createBench({}, { [label]: "llm-d-inference-sim" });
    await bench.poll(vllmPage());
    expect(bench.state?.engine).toBe("llm-d-inference-sim");
    expect(bench.endpoint.metrics.runningRequestsSize).toBe(8);
  });

  it.each(["sglang", "no-such-engine", "__proto__"])(
    "detects the engine where the label %s does not fit the page, and reports that once",
    async (name) => {
      const bench = createBench({}, { [label]: name });
      for (let turn = 0; turn < 3; turn++) await bench.poll(fixture("vllm-0.11.0-v1.prom"));
      expect(bench.state?.engine).toBe("vllm");
      expect(bench.logger.lines).toEqual([
        expect.objectContaining({
          level: "warn",
          fields: { endpoint: "default/server-1", label: name, engine: "vllm" },
        }),
      ]);
    },
  );
});

describe("section 8: without a label the engine is detected from the page", () => {
  const built = engines.filter((engine) => engine.detected !== false);

  it.each(built.map((engine) => engine.name))("%s by its own names", async (name) => {
    const definition = built.find((engine) => engine.name === name);
    const sources = Object.values(definition?.fields ?? {}).flat();
    const lines = sources.map((source) => (typeof source === "string" ? source : source.spec));
    const page = lines.map((spec) => `${spec.replace(/=(\w+)/g, '="$1"')} 0.5`).join("\n");
    const bench = createBench();
    await bench.poll(`${page}\n`);
    expect(bench.state?.engine).toBe(name);
  });

  it("prefers the engine of which the page has most metrics", async () => {
    const bench = createBench();
    await bench.poll(`${sglangPage}vllm:num_requests_running 8\n`);
    expect(bench.state?.engine).toBe("sglang");
  });

  it("is remembered until the page stops matching, however much of another's it has", async () => {
    const bench = createBench();
    await bench.poll(vllmPage());
    await bench.poll(`vllm:num_requests_running 9\n${sglangPage}`);
    expect(bench.state?.engine).toBe("vllm");
    expect(bench.endpoint.metrics.runningRequestsSize).toBe(9);
    await bench.poll(sglangPage);
    expect(bench.state).toMatchObject({ engine: "sglang", modelName: null });
    expect(bench.endpoint.metrics.runningRequestsSize).toBe(7);
    expect(bench.logger.lines.map((line) => line.message)).toEqual(["engine is now sglang"]);
  });

  it("forgets at once what the new engine does not give", async () => {
    const bench = createBench();
    await bench.poll(`${vllmPage()}vllm:cache_config_info{block_size="16",num_gpu_blocks="9"} 1\n`);
    expect(bench.endpoint.metrics.kvCacheMaxTokenCapacity).toBe(144);
    await bench.poll("tgi_queue_size 1\n");
    const { waitingQueueSize, ...rest } = bench.endpoint.metrics;
    expect(waitingQueueSize).toBe(1);
    expect(Object.keys(rest.readAt)).toEqual(["waitingQueueSize"]);
    expect(rest).toMatchObject({ runningRequestsSize: undefined, cacheBlockSize: undefined });
  });

  it("is forgotten with the endpoint", async () => {
    const bench = createBench();
    await bench.poll(vllmPage());
    bench.extractor.release?.(bench.endpoint.id);
    await bench.poll(`vllm:num_requests_running 9\n${sglangPage}`);
    expect(bench.state?.engine).toBe("sglang");
  });

  it("knows an engine by families that have no samples yet", async () => {
    const bench = createBench();
    await bench.poll("# TYPE vllm:num_requests_running gauge\n");
    expect(bench.state).toEqual({ engine: "vllm", modelName: null, kvMax: null, ranks: [] });
    expect(bench.endpoint.metrics.updateTime).toBeUndefined();
  });
});

describe("section 8: the default engine", () => {
  it("when configured, is read wherever it fits an endpoint without a label", async () => {
    const bench = createBench({ defaultEngine: "acme", engineConfigs: [acme] });
    await bench.poll(`acme_running 5\n${vllmPage()}`);
    expect(bench.state?.engine).toBe("acme");
    expect(bench.endpoint.metrics).toMatchObject({ waitingQueueSize: 3, runningRequestsSize: 5 });
  });

  it("gives way to detection where it does not fit", async () => {
    const bench = createBench({ defaultEngine: "vllm" });
    await bench.poll(sglangPage);
    expect(bench.state?.engine).toBe("sglang");
    expect(bench.logger.lines).toEqual([]);
  });

  it("is vllm where nothing decides", async () => {
    const sameNames = { name: "same", queuedRequestsSpec: "vllm:num_requests_waiting" };
    const bench = createBench({ engineConfigs: [sameNames] });
    await bench.poll("vllm:num_requests_waiting 3\n");
    expect(bench.state?.engine).toBe("vllm");
  });
});

describe("a page of no known engine", () => {
  it("fails, writes nothing and keeps what was known, with its age", async () => {
    const bench = createBench({}, { [label]: "vllm" });
    await bench.poll(vllmPage());
    const before = bench.endpoint.metrics;
    const state = bench.state;
    for (let turn = 0; turn < 5; turn++)
      expect(await bench.failure("process_cpu_seconds_total 1\n")).toBe("EXTRACT_NO_ENGINE");
    expect(bench.endpoint.metrics).toBe(before);
    expect(bench.state).toBe(state);
    await bench.poll(vllmPage());
    expect(bench.logger.lines).toEqual([]);
  });
});
