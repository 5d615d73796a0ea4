export * from "./clock.ts";
export * from "./endpoint.ts";
export * from "./logger.ts";
export * from "./meter.ts";
export * from "./transport.ts";
