import { describe, expect, it } from "vitest";
import { checkLabel } from "./labels.ts";

describe("checkLabel", () => {
  it.each([
    ["app", "vllm"],
    ["app.kubernetes.io/name", "v-1_2.3"],
    ["a".repeat(63), "b".repeat(63)],
    [`${"a".repeat(253)}/x`, ""],
  ])("takes what Kubernetes takes: %s", (key, value) => {
    expect(checkLabel(key, value)).toBeUndefined();
  });

  it.each([
    ["", "x", "empty"],
    ["/x", "x", "empty"],
    ["a/", "x", "empty"],
    ["a".repeat(64), "x", "longer than 63"],
    [`${"a".repeat(254)}/x`, "x", "longer than 253"],
    ["app", "b".repeat(64), "longer than 63"],
    ["app", "a\nb", "control characters"],
    ["a\u0085", "b", "control characters"],
  ])("refuses lengths and control characters: %j", (key, value, message) => {
    expect(checkLabel(key, value)).toEqual({
      usable: false,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ["model", "meta-llama/Llama-3.1-8B"],
    ["model", "-x"],
    ["two words", "x"],
    ["a/b/c", "x"],
    ["UPPER.example/x", "x"],
    ["__proto__", "x"],
  ])("points out other characters: %s=%s", (key, value) => {
    expect(checkLabel(key, value)).toMatchObject({ usable: true });
  });
});
