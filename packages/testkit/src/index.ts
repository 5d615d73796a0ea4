export * from "./contracts/index.ts";
export * from "./fakes/index.ts";
