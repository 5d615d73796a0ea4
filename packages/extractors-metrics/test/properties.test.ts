import { isMusterError } from "@muster/core";
import { engineState } from "@muster/core/attributes";
import type { MetricFamily, PrometheusPage, Sample } from "@muster/core/prometheus";
import coreMetrics, { engineFields } from "@muster/extractors-metrics";
import { createFakeEndpoint } from "@muster/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const signal = new AbortController().signal;

/** A page made of samples: its shape is the contract's, so any source might hand it over. */
function pageOf(samples: readonly Sample[]): PrometheusPage {
  const families = new Map<string, MetricFamily>();
  for (const sample of samples) {
    const known = families.get(sample.name)?.samples ?? [];
    families.set(sample.name, {
      name: sample.name,
      type: "gauge",
      help: "",
      unit: "",
      samples: [...known, sample],
    });
  }
  return {
    format: "text",
    family: (name) => families.get(name),
    families: () => families.values(),
    skipped: 0,
  };
}

const extractor = coreMetrics.create({
  engineConfigs: [
    {
      name: "acme",
      queuedRequestsSpec: "acme{state=waiting}",
      customMetrics: [{ attributeKey: "acme/custom", metricSpec: "acme" }],
    },
  ],
});

const anyText = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "0", "1", "16", "None", "", "waiting"),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const labelName = fc.oneof(
  fc.constantFrom("engine", "dp_rank", "model", "version", "state", "block_size", "page_size"),
  fc.constantFrom("__proto__", "constructor", "model_name", "num_gpu_blocks", "request_type"),
);
const anySample: fc.Arbitrary<Sample> = fc.record({
  name: fc.constantFrom(...extractor.families),
  labels: fc.dictionary(labelName, anyText, { maxKeys: 4, noNullPrototype: false }),
  value: fc.double(),
  timestamp: fc.option(fc.integer(), { nil: undefined }),
});

describe("any pages", () => {
  it("give values in range or a coded error, whatever their order, labels and numbers", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anySample, { maxLength: 12 }), { maxLength: 5 }), (pages) => {
        const endpoint = createFakeEndpoint();
        extractor.release?.(endpoint.id);
        for (const samples of pages) {
          try {
            extractor.extract({ payload: pageOf(samples), endpoint }, { signal });
          } catch (error) {
            expect(isMusterError(error) && error.code).toBe("EXTRACT_NO_ENGINE");
          }
          for (const field of engineFields) {
            const value = endpoint.metrics[field];
            expect(value === undefined || (value >= 0 && Number.isFinite(value))).toBe(true);
          }
          expect(endpoint.metrics.kvCacheUsagePercent ?? 0).toBeLessThanOrEqual(1);
          const state = endpoint.attributes.get(engineState);
          const numbers = state?.ranks.flatMap(({ running, waiting, kv }) => [
            running,
            waiting,
            kv,
          ]);
          for (const value of [state?.kvMax ?? null, ...(numbers ?? [])])
            expect(value === null || (value >= 0 && Number.isFinite(value))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("ranks", () => {
  const load = fc.record({
    running: fc.nat({ max: 1e6 }),
    waiting: fc.nat({ max: 1e6 }),
    kv: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const ranks = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), load, { minKeys: 1 });

  it("add up to the same in any order", () => {
    fc.assert(
      fc.property(
        ranks.chain((given) => {
          const samples = Object.entries(given).flatMap(([engine, { running, waiting, kv }]) => {
            const labels = { engine };
            const timestamp = undefined;
            return [
              { name: "vllm:num_requests_running", labels, value: running, timestamp },
              { name: "vllm:num_requests_waiting", labels, value: waiting, timestamp },
              { name: "vllm:kv_cache_usage_perc", labels, value: kv, timestamp },
            ];
          });
          const shuffled = fc.shuffledSubarray(samples, { minLength: samples.length });
          return fc.tuple(fc.constant(given), shuffled);
        }),
        ([given, samples]) => {
          const { metrics, state } = extractor.explain(pageOf(samples));
          const all = Object.entries(given);
          const sum = (field: "running" | "waiting" | "kv"): number =>
            all.reduce((total, [, rank]) => total + rank[field], 0);
          expect(metrics.runningRequestsSize).toBe(sum("running"));
          expect(metrics.waitingQueueSize).toBe(sum("waiting"));
          expect(metrics.kvCacheUsagePercent).toBeCloseTo(sum("kv") / all.length, 9);
          expect(state.kvMax).toBe(Math.max(...all.map(([, rank]) => rank.kv)));
          const view = new Map(state.ranks.map(({ rank, ...rest }) => [rank, rest]));
          expect(view).toEqual(new Map(all));
        },
      ),
      { numRuns: 200 },
    );
  });
});
