import { describe, expect, it } from "vitest";
import { createBench, vllmPage } from "./support.ts";

const withoutKv = vllmPage({ kv_cache_usage_perc: "" });

describe("section 8: a missing metric", () => {
  it("keeps its value and shows its age for two polls, and is unknown at the third", async () => {
    const bench = createBench();
    const { endpoint, clock } = bench;
    await bench.poll(vllmPage());
    const readAt = clock.now();
    for (let turn = 0; turn < 2; turn++) {
      await bench.poll(withoutKv);
      expect(endpoint.metrics.kvCacheUsagePercent).toBe(0.42);
      expect(endpoint.metrics.readAt.kvCacheUsagePercent).toBe(readAt);
      expect(endpoint.metrics.readAt.runningRequestsSize).toBe(clock.now());
      expect(bench.state).toMatchObject({ kvMax: 0.42, modelName: "m" });
    }
    await bench.poll(withoutKv);
    expect(endpoint.metrics.kvCacheUsagePercent).toBeUndefined();
    expect(endpoint.metrics.runningRequestsSize).toBe(8);
    expect(bench.state).toMatchObject({ kvMax: null, modelName: "m" });
  });

  it("takes the model's name along, which otherwise is the page's", async () => {
    const bench = createBench();
    await bench.poll(vllmPage());
    for (const expected of ["m", "m", null]) {
      await bench.poll(vllmPage({ num_requests_running: "" }));
      expect(bench.state?.modelName).toBe(expected);
    }
    await bench.poll(vllmPage());
    expect(bench.state?.modelName).toBe("m");
    await bench.poll("vllm:num_requests_running 8\n");
    expect(bench.state?.modelName).toBeNull();
  });

  it("counts polls in a row only, and successful ones only", async () => {
    const bench = createBench();
    for (let turn = 0; turn < 3; turn++) {
      await bench.poll(vllmPage());
      await bench.poll(withoutKv);
      expect(await bench.failure("up 1\n")).toBe("EXTRACT_NO_ENGINE");
      await bench.poll(withoutKv);
      expect(bench.endpoint.metrics.kvCacheUsagePercent).toBe(0.42);
    }
  });

  it("counts a value that is no number as missing", async () => {
    const bench = createBench();
    await bench.poll(vllmPage());
    const broken = vllmPage({ num_requests_running: "NaN" });
    await bench.poll(broken);
    await bench.poll(broken);
    expect(bench.endpoint.metrics.runningRequestsSize).toBe(8);
    expect(bench.state?.modelName).toBe("m");
    await bench.poll(broken);
    expect(bench.endpoint.metrics.runningRequestsSize).toBeUndefined();
  });

  it("is reported once, not on every poll, and so is its return", async () => {
    const bench = createBench();
    const geometry = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="9"} 1\n';
    await bench.poll(vllmPage() + geometry);
    for (let turn = 0; turn < 10; turn++) await bench.poll(withoutKv + geometry);
    expect(bench.logger.lines).toEqual([
      {
        level: "warn",
        message: "unknown for want of a metric: kvCacheUsagePercent (absent)",
        fields: {
          code: "EXTRACT_MISSING",
          endpoint: "default/server-1",
          engine: "vllm",
          missing: [{ metric: "kvCacheUsagePercent", reason: "absent" }],
        },
      },
    ]);
    const counted = (): number | undefined =>
      bench.meter.value("muster_datalayer_missing_metrics_total", {
        engine: "vllm",
        metric: "kvCacheUsagePercent",
      });
    expect(counted()).toBe(1);
    for (let turn = 0; turn < 5; turn++) await bench.poll(vllmPage() + geometry);
    expect(bench.logger.lines).toHaveLength(2);
    expect(bench.logger.lines[1]).toMatchObject({
      level: "info",
      fields: { metrics: ["kvCacheUsagePercent"] },
    });
    expect(counted()).toBe(1);
  });

  it("is not reported where the engine never has it", async () => {
    const bench = createBench();
    for (let turn = 0; turn < 5; turn++)
      await bench.poll(
        "tgi_queue_size 1\ntgi_batch_current_size 2\ntgi_batch_max_total_tokens 9\n",
      );
    expect(bench.logger.lines).toEqual([]);
  });

  it("does not fail the poll: the others are updated and the endpoint is fresh", async () => {
    const bench = createBench();
    expect(bench.extractor.provides).toBe("freshness");
    expect(await bench.failure(withoutKv)).toBe("no failure");
  });
});

describe("section 8: updateTime", () => {
  it("moves only if something was updated", async () => {
    const bench = createBench();
    const { endpoint, clock } = bench;
    await bench.poll(vllmPage());
    const first = clock.now();
    expect(endpoint.metrics.updateTime).toBe(first);
    const nothing = "# TYPE vllm:num_requests_running gauge\n";
    for (let turn = 0; turn < 5; turn++) await bench.poll(nothing);
    expect(endpoint.metrics.updateTime).toBe(first);
    expect(endpoint.metrics.readAt).toEqual({});
    await bench.poll(vllmPage());
    expect(endpoint.metrics.updateTime).toBe(clock.now());
  });

  it("an unchanged state is not stored again", async () => {
    const bench = createBench();
    await bench.poll(vllmPage());
    const state = bench.state;
    await bench.poll(vllmPage());
    expect(bench.state).toBe(state);
    await bench.poll(vllmPage({ kv_cache_usage_perc: 0.5 }));
    expect(bench.state).not.toBe(state);
    expect(bench.state?.kvMax).toBe(0.5);
  });
});
