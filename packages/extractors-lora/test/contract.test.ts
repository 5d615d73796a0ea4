import lora from "@muster/extractors-lora";
import { parsePage } from "@muster/source-prometheus";
import { describeDefinition, describePollingExtractor } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { fixture } from "./support.ts";

describeDefinition(
  { describe, it },
  {
    definition: lora,
    valid: [{}, { defaultEngine: "acme", engineConfigs: [{ name: "acme", loraSpec: "m{a=b}" }] }],
    invalid: [
      { config: { engineConfigs: [{ name: "default" }] }, path: "engineConfigs[0].name" },
      {
        config: { engineConfigs: [{ name: "a", loraSpec: "{}" }] },
        path: "engineConfigs[0].loraSpec",
      },
    ],
  },
);

describePollingExtractor(
  { describe, it },
  {
    make: () => lora.create(),
    payload: () => parsePage(fixture("vllm-0.11.0-v1-lora.prom")),
    check: ({ metrics, attributes }) => {
      expect(Object.keys(metrics.activeModels ?? {})).toEqual(["tweet-summary"]);
      expect(attributes.get("lora")).toMatchObject({ active: ["tweet-summary"], max: 4 });
    },
  },
);
