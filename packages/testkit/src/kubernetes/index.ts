export type { RecordedRequest } from "./api-handler.ts";
export type { InjectedFailure, KubernetesFaults } from "./faults.ts";
export type { KubeconfigOptions } from "./kubeconfig.ts";
export type { ApiRequest } from "./request.ts";
export {
  createKubernetesServer,
  type KubernetesServer,
  type KubernetesServerOptions,
} from "./server.ts";
