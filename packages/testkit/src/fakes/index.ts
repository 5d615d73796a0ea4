export * from "./clock.ts";
export * from "./endpoint.ts";
export * from "./logger.ts";
export * from "./meter.ts";
export * from "./mock-discovery.ts";
export * from "./mock-registry.ts";
export * from "./transport.ts";
