import { expect, it } from "vitest";
import { configSchema } from "./config.ts";

it("a label that cannot be one is named with what it must be", () => {
  const matchLabels = { "a b": "x", ok: "c,d" };
  const result = configSchema["~standard"].validate({ selector: { matchLabels, ports: [8000] } });
  expect(result).toMatchObject({
    issues: [
      { path: ["selector", "matchLabels", "a b"], message: "must be a label key" },
      { path: ["selector", "matchLabels", "ok"], message: "must be a label value" },
    ],
  });
});
