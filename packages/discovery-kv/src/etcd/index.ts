export type { StoreTlsConfig } from "../tls-config.ts";
export type { EtcdStoreConfig, EtcdStoreSettings } from "./config.ts";
export { etcdConfigSchema } from "./config.ts";
export type { Endpoint } from "./endpoint.ts";
export { createEtcdStore } from "./etcd-store.ts";
