export * from "./engine-label.ts";
export * from "./families.ts";
export * from "./metric-spec.ts";
export * from "./payload.ts";
