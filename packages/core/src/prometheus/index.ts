export * from "./families.ts";
export * from "./payload.ts";
