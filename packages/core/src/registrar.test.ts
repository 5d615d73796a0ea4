import { describe, expect, it } from "vitest";
import { typedName } from "./names.ts";
import { equalPayloadTokens, payloadToken } from "./payload.ts";
import { isRegistrant } from "./registrar.ts";

describe("section 4: registrants", () => {
  it("are plugins of any kind that declare dependencies", () => {
    const plugin = { typedName: typedName("scorer") };
    expect(isRegistrant(plugin)).toBe(false);
    expect(isRegistrant({ ...plugin, registerDependencies: true })).toBe(false);
    expect(isRegistrant({ ...plugin, registerDependencies: () => undefined })).toBe(true);
  });
});

describe("section 3: payload tokens", () => {
  it("compare by name, so two copies of a package agree", () => {
    expect(equalPayloadTokens(payloadToken("a"), payloadToken("a"))).toBe(true);
    expect(equalPayloadTokens(payloadToken("a"), payloadToken("b"))).toBe(false);
    expect(Object.isFrozen(payloadToken("a"))).toBe(true);
  });
});
