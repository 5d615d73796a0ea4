export type {
  Cluster,
  ClusterCredentials,
  ClusterTls,
  CredentialsRequest,
  DirectCluster,
} from "./cluster.ts";
export { directCluster } from "./cluster.ts";
export * from "./kube-api.ts";
export { retryAfterOf } from "./kube-error.ts";
export * from "./load-cluster.ts";
export { type KubeResource, type ResourceScope, resourcePath } from "./resource.ts";
