export type { RecordedRequest } from "./api-handler.ts";
export type { FollowedEvent, FollowedObject } from "./contract/log.ts";
export {
  describeReflector,
  type FollowRequest,
  type ReflectorCluster,
  type ReflectorHarness,
} from "./contract/reflector.ts";
export {
  type ClusterClient,
  type ConfigMapInit,
  createKubernetesWorld,
  type KubernetesWorld,
  type WorldObject,
  type WorldRequest,
} from "./contract/world.ts";
export type { InjectedFailure, KubernetesFaults } from "./faults.ts";
export type { KubeconfigOptions } from "./kubeconfig.ts";
export type { ApiRequest } from "./request.ts";
export {
  createKubernetesServer,
  type KubernetesServer,
  type KubernetesServerOptions,
} from "./server.ts";
