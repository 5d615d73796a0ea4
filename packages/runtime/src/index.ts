export * from "./config/index.ts";
export * from "./events/endpoint-notification-source.ts";
export * from "./feed/fleet-change.ts";
export * from "./fleet.ts";
export * from "./loader/load-package.ts";
export * from "./registry/plugin-host.ts";
export * from "./registry/plugin-registry.ts";
export * from "./runtime.ts";
export * from "./runtime-options.ts";
export type { EndpointFilter } from "./store/endpoint-filter.ts";
export {
  createEndpointStore,
  type EndpointStore,
  type EndpointStoreOptions,
  type OwnerStore,
} from "./store/endpoint-store.ts";
export type { FleetEndpoint } from "./store/fleet-endpoint.ts";
export * from "./wiring/index.ts";
