export type { PrometheusAuthConfig, PrometheusSourceConfig } from "./config.ts";
export * from "./parser/index.ts";
export { createPrometheusSource, default, type PrometheusSourceOptions } from "./plugin.ts";
export type { TlsOptions } from "./transport/agents.ts";
export type { ResolveAll, ResolvedAddress } from "./transport/guarded-lookup.ts";
export { createNodeTransport, type NodeTransportOptions } from "./transport/node-transport.ts";
export type {
  ScrapeTarget,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport/transport.ts";
