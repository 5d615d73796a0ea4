import { isMusterError } from "@muster/core";
import type { PrometheusPage, Sample } from "@muster/core/prometheus";
import lora, { loraState } from "@muster/extractors-lora";
import { createFakeEndpoint } from "@muster/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";

const signal = new AbortController().signal;
const name = "vllm:lora_requests_info";

function pageOf(samples: readonly Sample[]): PrometheusPage {
  const family = { name, type: "gauge", help: "", unit: "", samples } as const;
  return {
    format: "text",
    family: (wanted) => (wanted === name && samples.length > 0 ? family : undefined),
    families: () => [family],
    skipped: 0,
  };
}

const anySample: fc.Arbitrary<Sample> = fc.record({
  name: fc.constantFrom(name, `${name}_total`, "other"),
  labels: fc.dictionary(
    fc.constantFrom("max_lora", "running_lora_adapters", "waiting_adapters", "__proto__"),
    fc.oneof(
      fc.constantFrom("4", "None", "a,b", " a ,,", "__proto__,constructor"),
      fc.string({ unit: "binary", maxLength: 12 }),
    ),
    { noNullPrototype: false },
  ),
  value: fc.oneof(fc.double(), fc.double({ min: 0, max: 1e10 })),
  timestamp: fc.constant(undefined),
});

it("any pages give sorted unique names and sane numbers, or a coded error", () => {
  const extractor = lora.create();
  fc.assert(
    fc.property(fc.array(fc.array(anySample, { maxLength: 6 }), { maxLength: 6 }), (pages) => {
      const endpoint = createFakeEndpoint();
      extractor.release?.(endpoint.id);
      for (const samples of pages) {
        try {
          extractor.extract({ payload: pageOf(samples), endpoint }, { signal });
        } catch (error) {
          expect(isMusterError(error) && error.code).toBe("EXTRACT_FAILED");
        }
        const state = endpoint.attributes.get(loraState);
        const { activeModels = {}, waitingModels = {} } = endpoint.metrics;
        // names that look like numbers come first among an object's keys
        expect(new Set(Object.keys(activeModels))).toEqual(new Set(state?.active));
        expect(new Set(Object.keys(waitingModels))).toEqual(new Set(state?.waiting));
        for (const names of [state?.active ?? [], state?.waiting ?? []]) {
          expect(names).toEqual([...new Set(names)].sort());
          expect(names.every((each) => each !== "" && each === each.trim())).toBe(true);
        }
        for (const value of [state?.max ?? 0, state?.lastSeen ?? 0])
          expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
