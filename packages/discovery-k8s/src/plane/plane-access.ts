import { MusterError, type PluginContext } from "@muster/core";
import { createKubeApi, type KubeApi } from "../api/kube-api.ts";
import { openCluster } from "../config/cluster-config.ts";
import { checkIdentity, type KubeIdentity, type ReadinessMode } from "./identity.ts";
import type { KubeDiscoveryOptions } from "./options.ts";

/** How a plane reaches its cluster, and who it is there. */
export class PlaneAccess {
  readonly identity: KubeIdentity | undefined;
  readonly mode: ReadinessMode;
  readonly #options: KubeDiscoveryOptions;
  readonly #context: PluginContext;
  #opened: Promise<KubeApi> | undefined;

  /** @throws MusterError KUBE_CONFIG */
  constructor(options: KubeDiscoveryOptions, context: PluginContext) {
    const { api, cluster, identity, namespace, mode } = options;
    if (api !== undefined && cluster !== undefined)
      throw wrong("api", "give `api` or `cluster`, not both");
    if (identity !== undefined && (namespace ?? mode) !== undefined)
      throw wrong("namespace", "`namespace` and `mode` are those of `identity`");
    this.identity = identity && checkIdentity(identity);
    this.mode = identity?.mode ?? mode ?? "pod";
    this.#options = options;
    this.#context = context;
  }

  /**
   * The API, opened when first asked for.
   *
   * @throws MusterError KUBE_CONFIG
   */
  async api(): Promise<KubeApi> {
    const { api } = this.#options;
    if (api !== undefined) return api;
    this.#opened ??= this.#open();
    return await this.#opened;
  }

  /** The namespace that the plane is in. */
  namespace(api: KubeApi): string {
    return this.identity?.namespace ?? this.#options.namespace ?? api.namespace;
  }

  /** Closes what was opened here. */
  async close(): Promise<void> {
    const api = await this.#opened?.catch(() => undefined);
    api?.close();
  }

  async #open(): Promise<KubeApi> {
    try {
      return createKubeApi(await openCluster(this.#options.cluster ?? {}), this.#context);
    } catch (error) {
      // the kubeconfig may be there next time
      this.#opened = undefined;
      throw error;
    }
  }
}

function wrong(path: string, problem: string): MusterError {
  return new MusterError("KUBE_CONFIG", problem, { path });
}
