export * from "./parser/index.ts";
