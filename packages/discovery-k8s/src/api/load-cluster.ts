import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import { MusterError } from "@muster/core";
import {
  type Cluster,
  type ClusterCredentials,
  type CredentialsRequest,
  serverUrl,
} from "./cluster.ts";
import { configError } from "./config-error.ts";
import { limitExecPlugins } from "./exec-plugin.ts";
import { keepCredentials } from "./keep-credentials.ts";
import { useTokenFiles } from "./token-files.ts";

/** Which cluster to talk to. Nothing set: the pod's own when in one, else the default kubeconfig. */
export interface KubeconfigOptions {
  /** A kubeconfig file. */
  readonly kubeconfig?: string | undefined;
  /** A context of it; default its current one. */
  readonly context?: string | undefined;
  /** Instead of the context's namespace. */
  readonly namespace?: string | undefined;
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/** The client library's name for the context that it makes when it finds no configuration. */
const withoutConfig = "loaded-context";

/**
 * Loads the cluster of a kubeconfig (tokens, client certificates, exec plugins) or, inside a pod, of its
 * service account. An exec plugin gets a minute, no input, and what it says on standard error is not told;
 * `tokenFile` counts in the first file of several; `proxy-url` and `as` are refused.
 *
 * @throws MusterError KUBE_CONFIG
 */
export async function loadCluster(options: KubeconfigOptions = {}): Promise<Cluster> {
  const load = await loader();
  let config = read(load, options);
  const current = config.getCurrentCluster();
  if (!current)
    throw new MusterError("KUBE_CONFIG", "the kubeconfig has no current cluster", {
      path: options.kubeconfig,
    });
  if (current.proxyUrl)
    throw new MusterError(
      "KUBE_CONFIG",
      "`proxy-url` of the kubeconfig's cluster is not supported: name a `server` that is reached directly",
      { path: options.kubeconfig },
    );
  if (config.getCurrentUser()?.impersonateUser)
    throw new MusterError(
      "KUBE_CONFIG",
      "`as` of the kubeconfig's user is not supported: give that user credentials of its own",
      { path: options.kubeconfig },
    );
  const context = config.getContextObject(config.getCurrentContext());
  const ask = keepCredentials(async (refresh) => {
    // what an exec plugin gave is kept until it expires; only a new object asks again
    if (refresh) config = read(load, options);
    return await credentialsOf(config, options.kubeconfig);
  });
  return Object.freeze({
    server: serverUrl(current.server),
    // a file of it may end with a line's end
    namespace: options.namespace ?? (context?.namespace?.trim() || "default"),
    credentials: ({ refresh, signal }: CredentialsRequest = {}) =>
      heldAwake(ask({ refresh }), signal),
  });
}

/** Keeps the process alive until somebody has what is waited for, or waits no more; an exec plugin does not. */
async function heldAwake<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const timer = setInterval(() => undefined, 60_000);
  const release = (): void => clearInterval(timer);
  if (signal?.aborted) release();
  signal?.addEventListener("abort", release, { once: true });
  try {
    return await promise;
  } finally {
    release();
    signal?.removeEventListener("abort", release);
  }
}

type Loader = () => KubeConfig;

/** Loaded when first needed: it is large, and only its configuration is used. */
async function loader(): Promise<Loader> {
  const { KubeConfig: Config, loadYaml } = await import("@kubernetes/client-node");
  class WithTokenFiles extends Config {
    override loadFromFile(...given: Parameters<KubeConfig["loadFromFile"]>): void {
      super.loadFromFile(...given);
      const [file] = given;
      useTokenFiles(this, { root: dirname(file), content: loadYaml(readFileSync(file, "utf8")) });
    }
  }
  return () => new WithTokenFiles();
}

function read(load: Loader, { kubeconfig, context }: KubeconfigOptions): KubeConfig {
  const config = load();
  try {
    if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
    else if (existsSync(serviceAccount)) config.loadFromCluster();
    else config.loadFromDefault();
  } catch (error) {
    throw configError("cannot read the kubeconfig", error, kubeconfig);
  }
  // the library then takes whatever listens on port 8080 of this machine for a cluster
  if (config.getCurrentContext() === withoutConfig)
    throw new MusterError(
      "KUBE_CONFIG",
      "there is no kubeconfig, and this is no pod: set KUBECONFIG, or configure the `cluster`",
    );
  // the library refuses plain http otherwise, also where there is no TLS to verify
  for (const cluster of config.clusters)
    if (cluster.server?.startsWith("http:")) Object.assign(cluster, { skipTLSVerify: true });
  if (context === undefined) return config;
  if (!config.getContextObject(context)) {
    const names = config.getContexts().map(({ name }) => name);
    throw new MusterError(
      "KUBE_CONFIG",
      `there is no context "${context}"; there are ${names.join(", ") || "none"}`,
      { path: kubeconfig },
    );
  }
  config.setCurrentContext(context);
  return config;
}

/** What the client library would put on a request. */
interface AppliedOptions {
  headers?: Record<string, unknown>;
  auth?: string;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  passphrase?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
  agent?: { destroy(): void };
}

async function credentialsOf(
  config: KubeConfig,
  path: string | undefined,
): Promise<ClusterCredentials> {
  const applied: AppliedOptions = { headers: {} };
  const run = limitExecPlugins(config);
  try {
    await config.applyToHTTPSOptions(applied as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
  } catch (error) {
    const { problem } = run;
    throw configError("cannot get credentials", problem ? new Error(problem) : error, path);
  }
  applied.agent?.destroy();
  const authorization = authorizationOf(applied);
  return {
    ...(authorization !== undefined && { authorization }),
    tls: {
      ca: pem(applied.ca),
      cert: pem(applied.cert),
      key: pem(applied.key),
      passphrase: applied.passphrase,
      serverName: applied.servername,
      verify: applied.rejectUnauthorized !== false,
    },
  };
}

function authorizationOf({ headers = {}, auth }: AppliedOptions): string | undefined {
  const header = headers.Authorization ?? headers.authorization;
  if (typeof header === "string") return header.trim();
  return auth === undefined ? undefined : `Basic ${btoa(auth)}`;
}

function pem(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
