import coreMetrics from "@muster/extractors-metrics";
import { describeDefinition, describePollingExtractor } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { createBench, fixture, vllmPage } from "./support.ts";

const { parse } = createBench();

describeDefinition(
  { describe, it },
  {
    definition: coreMetrics,
    valid: [
      {},
      { defaultEngine: "sglang", engineLabelKey: "engine" },
      {
        engineConfigs: [
          { name: "a", customMetrics: [{ attributeKey: "k", metricSpec: "m{a=b}" }] },
        ],
      },
    ],
    invalid: [
      { config: { defaultEngine: "none" }, path: "defaultEngine" },
      { config: { engineConfigs: [{ name: "default" }] }, path: "engineConfigs[0].name" },
      {
        config: { engineConfigs: [{ name: "a", kvUsageSpec: "{}" }] },
        path: "engineConfigs[0].kvUsageSpec",
      },
    ],
  },
);

describePollingExtractor(
  { describe, it },
  {
    make: () => coreMetrics.create(),
    payload: () => parse(vllmPage()),
    check: ({ metrics, attributes }) => {
      expect(metrics).toMatchObject({ runningRequestsSize: 8, waitingQueueSize: 3 });
      expect(attributes.get("engine")).toMatchObject({ engine: "vllm", kvMax: 0.42 });
    },
    unusable: [
      () => parse(""),
      () => parse(fixture("quirks/only-python-series.prom")),
      () => parse(fixture("llm-d-epp-pool-aggregate.prom")),
    ],
  },
);
