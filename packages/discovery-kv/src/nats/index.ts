export type { StoreTlsConfig } from "../tls-config.ts";
export type { NatsStoreConfig, NatsStoreSettings } from "./config.ts";
export { natsConfigSchema } from "./config.ts";
export { createNatsStore } from "./nats-store.ts";
