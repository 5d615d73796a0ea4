export * from "./cluster.ts";
export * from "./kube-api.ts";
export { retryAfterOf } from "./kube-error.ts";
export * from "./load-cluster.ts";
export * from "./resource.ts";
