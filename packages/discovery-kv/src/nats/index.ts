export type { NatsStoreConfig, NatsStoreSettings, NatsTlsConfig } from "./config.ts";
export { natsConfigSchema } from "./config.ts";
export { createNatsStore } from "./nats-store.ts";
