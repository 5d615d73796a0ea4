import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MetricFamily, PrometheusPage, Sample } from "@muster/core/prometheus";
import { createFakeEndpoint, describeDefinition, describePollingExtractor } from "@muster/testkit";
import plugin, { firstToken } from "./index.js";

const name = "vllm:time_to_first_token_seconds";

/** A page as a source would hand it over; `ranks` are the totals of each. */
function page(...ranks: { seconds: number; requests: number }[]): PrometheusPage {
  const sample = (suffix: string, rank: number, value: number): Sample => ({
    name: `${name}${suffix}`,
    labels: { engine: String(rank) },
    value,
    timestamp: undefined,
  });
  const samples = ranks.flatMap(({ seconds, requests }, rank) => [
    sample("_sum", rank, seconds),
    sample("_count", rank, requests),
  ]);
  const family: MetricFamily = { name, type: "histogram", help: "", unit: "", samples };
  const families = samples.length === 0 ? [] : [family];
  return {
    format: "text",
    skipped: 0,
    families: () => families,
    family: (wanted) => families.find((found) => found.name === wanted),
  };
}

describeDefinition(
  { describe, it },
  {
    definition: plugin,
    valid: [{}, { family: "sglang:time_to_first_token_seconds" }],
    invalid: [{ config: { family: 5 }, path: "family" }],
  },
);

describePollingExtractor(
  { describe, it },
  {
    make: () => plugin.create(),
    payload: () => page({ seconds: 3, requests: 10 }),
    check: (endpoint) => assert.equal(endpoint.attributes.get(firstToken)?.requests, 0),
    unusable: [() => page()],
  },
);

describe("first token", () => {
  it("is the mean since the poll before, over all ranks", () => {
    const extractor = plugin.create();
    const endpoint = createFakeEndpoint();
    const pages = [
      page({ seconds: 3, requests: 10 }, { seconds: 1, requests: 2 }),
      page({ seconds: 4, requests: 12 }, { seconds: 2, requests: 4 }),
    ];
    for (const payload of pages) extractor.extract({ payload, endpoint });
    assert.deepEqual({ ...endpoint.attributes.get(firstToken) }, { meanSeconds: 0.5, requests: 4 });
  });

  it("is unknown after a restart and without requests", () => {
    const extractor = plugin.create();
    const endpoint = createFakeEndpoint();
    for (const requests of [10, 3, 3]) {
      extractor.extract({ payload: page({ seconds: 1, requests }), endpoint });
      assert.deepEqual(
        { ...endpoint.attributes.get(firstToken) },
        { meanSeconds: null, requests: 0 },
      );
    }
  });
});
