export type { InjectedFailure, KubernetesFaults } from "./faults.ts";
export type { ApiRequest } from "./request.ts";
export {
  createKubernetesServer,
  type KubernetesServer,
  type KubernetesServerOptions,
  type RecordedRequest,
} from "./server.ts";
