export { configJsonSchema } from "./config-json-schema.ts";
export { configSchema, type ServerConfig, type Settings } from "./envelope.ts";
export * from "./load-config.ts";
export * from "./loaded-config.ts";
export * from "./locate-problems.ts";
export { type LoadConfigOptions, parseConfig } from "./parse-config.ts";
