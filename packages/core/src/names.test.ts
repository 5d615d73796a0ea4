import { describe, expect, it } from "vitest";
import {
  endpointId,
  equalGroupVersionKind,
  formatGroupVersionKind,
  formatTypedName,
  namespacedName,
  typedName,
} from "./names.ts";

describe("section 1: names", () => {
  it("a plugin's name defaults to its type and prints type/name", () => {
    expect(formatTypedName(typedName("lora-extractor"))).toBe("lora-extractor/lora-extractor");
    expect(formatTypedName(typedName("lora-extractor", "mine"))).toBe("lora-extractor/mine");
  });

  it("an endpoint's key prints namespace/name", () => {
    expect(endpointId(namespacedName("prod", "pod-rank-0"))).toBe("prod/pod-rank-0");
  });

  it("names are frozen", () => {
    expect([typedName("a"), namespacedName("a", "b")].every(Object.isFrozen)).toBe(true);
  });
});

describe("group, version and kind", () => {
  const pool = { group: "inference.networking.k8s.io", version: "v1", kind: "InferencePool" };

  it("prints the core group without a slash", () => {
    expect(formatGroupVersionKind(pool)).toBe("inference.networking.k8s.io/v1, Kind=InferencePool");
    expect(formatGroupVersionKind({ group: "", version: "v1", kind: "Pod" })).toBe("v1, Kind=Pod");
  });

  it.each(["group", "version", "kind"])("differs by %s", (part) => {
    expect(equalGroupVersionKind(pool, { ...pool })).toBe(true);
    expect(equalGroupVersionKind(pool, { ...pool, [part]: "other" })).toBe(false);
  });
});
