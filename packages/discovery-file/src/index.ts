export type { FileDiscoveryConfig } from "./config.ts";
export {
  type EndpointsFile,
  type ParseEndpointsOptions,
  parseEndpointsFile,
} from "./endpoints-file.ts";
export { default } from "./plugin.ts";
