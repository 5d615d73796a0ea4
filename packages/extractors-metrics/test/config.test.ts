import { isMusterError } from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import { prometheusPage } from "@muster/core/prometheus";
import coreMetrics, { type CoreMetricsConfig } from "@muster/extractors-metrics";
import { describe, expect, it } from "vitest";
import { createBench, vllmPage } from "./support.ts";

function problems(config: unknown): (string | undefined)[] {
  try {
    coreMetrics.create(config as CoreMetricsConfig);
  } catch (error) {
    if (isMusterError(error) && error.code === "CONFIG_INVALID")
      return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
    throw error;
  }
  return [];
}

describe("section 8: start-up errors", () => {
  const engine = (fields: object) => ({ engineConfigs: [{ name: "a", ...fields }] });

  it.each([
    [
      "a reserved name",
      { engineConfigs: [{ name: "default" }] },
      /^engineConfigs\[0\]\.name: .*res/,
    ],
    [
      "a name twice",
      { engineConfigs: [{ name: "a" }, { name: "a" }] },
      /^engineConfigs\[1\]\.name: /,
    ],
    [
      "an empty attributeKey",
      engine({ customMetrics: [{ attributeKey: "", metricSpec: "a" }] }),
      /^engineConfigs\[0\]\.customMetrics\[0\]\.attributeKey: /,
    ],
    [
      "a duplicate attributeKey",
      engine({
        customMetrics: [
          { attributeKey: "k", metricSpec: "a" },
          { attributeKey: "k", metricSpec: "b" },
        ],
      }),
      /^engineConfigs\[0\]\.customMetrics\[1\]\.attributeKey: .*twice/,
    ],
    [
      "an attributeKey of a well-known attribute",
      engine({ customMetrics: [{ attributeKey: "lora", metricSpec: "a" }] }),
      /attributeKey: must not be/,
    ],
    [
      "a bad spec",
      engine({ queuedRequestsSpec: "a{b" }),
      /^engineConfigs\[0\]\.queuedRequestsSpec: metric spec "a\{b": expected/,
    ],
    [
      "an empty custom spec",
      engine({ customMetrics: [{ attributeKey: "k", metricSpec: "" }] }),
      /^engineConfigs\[0\]\.customMetrics\[0\]\.metricSpec: /,
    ],
    [
      "an unknown defaultEngine",
      { defaultEngine: "b" },
      /^defaultEngine: no engine "b"; known: vllm/,
    ],
    ["an unknown key", { engines: [] }, /engines/],
  ])("%s", (_, config, expected) => {
    expect(problems(config)).toEqual([expect.stringMatching(expected)]);
  });

  it("all at once", () => {
    const config = {
      defaultEngine: "b",
      ...engine({ kvUsageSpec: "1", runningRequestsSpec: "2" }),
    };
    expect(problems(config).length).toBeGreaterThanOrEqual(2);
  });

  it("accepts none, and llm-d's way of leaving a metric out", () => {
    expect(problems(undefined)).toEqual([]);
    expect(problems(engine({ loraSpec: "", cacheInfoSpec: "" }))).toEqual([]);
    expect(problems({ defaultEngine: "a", ...engine({}) })).toEqual([]);
  });
});

describe("section 8: user-defined engines", () => {
  it("are read by every parameter", async () => {
    const bench = createBench({
      engineConfigs: [
        {
          name: "acme",
          queuedRequestsSpec: 'acme_requests{state="waiting"}',
          runningRequestsSpec: "acme_requests{state=running}",
          kvUsageSpec: "acme_kv",
          cacheInfoSpec: "acme_info",
          cacheBlockSizeLabelName: "size",
          cacheNumBlocksSpec: "acme_blocks",
        },
      ],
    });
    await bench.poll(
      'acme_requests{state="waiting"} 1\nacme_requests{state="running"} 2\nacme_kv 0.5\nacme_info{size="8"} 1\nacme_blocks 4\n',
    );
    expect(bench.state?.engine).toBe("acme");
    expect(bench.endpoint.metrics).toMatchObject({
      waitingQueueSize: 1,
      runningRequestsSize: 2,
      kvCacheUsagePercent: 0.5,
      cacheBlockSize: 8,
      cacheNumBlocks: 4,
      kvCacheMaxTokenCapacity: 32,
    });
  });

  it("replace a built-in of the same name whole", async () => {
    const bench = createBench({
      engineConfigs: [{ name: "vllm", runningRequestsSpec: "vllm:num_requests_running" }],
    });
    await bench.poll(vllmPage());
    expect(Object.keys(bench.endpoint.metrics.readAt)).toEqual(["runningRequestsSize"]);
  });

  it("read gauges and counters, even a counter where the user wants one", async () => {
    const bench = createBench({
      engineConfigs: [{ name: "triton", runningRequestsSpec: "nv_inference_exec_count" }],
    });
    const series = (model: string) => `nv_inference_exec_count{model="${model}",version="1"} 2\n`;
    await bench.poll(`# TYPE nv_inference_exec_count counter\n${series("a")}${series("b")}`);
    expect(bench.endpoint.metrics.runningRequestsSize).toBe(4);
  });
});

describe("section 8: customMetrics", () => {
  const config: CoreMetricsConfig = {
    engineConfigs: [
      {
        name: "acme",
        queuedRequestsSpec: "acme_queue",
        customMetrics: [
          { attributeKey: "heat", metricSpec: "acme_heat{core=0}" },
          { attributeKey: "__proto__", metricSpec: "acme_made_total" },
        ],
      },
    ],
  };
  const page =
    'acme_queue 1\nacme_heat{core="0"} -3.5\nacme_heat{core="1"} 9\n# TYPE acme_made_total counter\nacme_made_total 7\n';

  it("become numbers under their attribute keys, negative ones too", async () => {
    const bench = createBench(config);
    await bench.poll(page);
    expect(bench.endpoint.attributes.get("heat")).toBe(-3.5);
    expect(bench.endpoint.attributes.get("__proto__")).toBe(7);
    const { custom } = bench.extractor.explain(bench.parse(page));
    expect(Object.entries(custom)).toEqual([
      ["heat", -3.5],
      ["__proto__", 7],
    ]);
  });

  it("leave after three polls without them, reported once", async () => {
    const bench = createBench(config);
    await bench.poll(page);
    for (let turn = 0; turn < 2; turn++) await bench.poll("acme_queue 1\nacme_made_total NaN\n");
    expect(bench.endpoint.attributes.keys().sort()).toEqual(["__proto__", "engine", "heat"]);
    for (let turn = 0; turn < 3; turn++) await bench.poll("acme_queue 1\nacme_made_total NaN\n");
    expect(bench.endpoint.attributes.keys()).toEqual(["engine"]);
    expect(bench.logger.lines.map((line) => line.fields.missing)).toEqual([
      [
        { metric: "heat", reason: "absent" },
        { metric: "__proto__", reason: "invalid" },
      ],
    ]);
  });

  it("leave with their engine", async () => {
    const bench = createBench(config);
    await bench.poll(page);
    await bench.poll(vllmPage());
    expect(bench.endpoint.attributes.keys()).toEqual(["engine"]);
  });

  it("are declared, so that a dispatcher lets them be written", async () => {
    const { extractor, endpoint, parse } = createBench(config);
    const source = createPollingDispatcher({
      typedName: { type: "page", name: "page" },
      payload: prometheusPage,
      poll: () => Promise.resolve(parse(page)),
    });
    source.appendExtractor(extractor);
    const { failed } = await source.dispatch(endpoint, { signal: new AbortController().signal });
    expect(failed).toEqual([]);
    expect(endpoint.attributes.get("heat")).toBe(-3.5);
  });
});

it("wants each family once, and every one of a configured engine", () => {
  const { families } = coreMetrics.create({
    engineConfigs: [
      {
        name: "a",
        queuedRequestsSpec: "x{y=z}",
        customMetrics: [{ attributeKey: "k", metricSpec: "w" }],
      },
    ],
  });
  expect(new Set(families).size).toBe(families.length);
  expect(families).toEqual(expect.arrayContaining(["x", "w", "vllm:num_requests_running"]));
});
