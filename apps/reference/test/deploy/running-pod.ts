import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { muster, reader } from "../muster-process.ts";
import { testFolder } from "../running-app.ts";
import type { Shown } from "../shapes.ts";
import { type Deployed, namespace } from "./deployed.ts";
import { containerOf, podOf } from "./pod-template.ts";

/** The Deployment's container, running as a process here. */
export interface RunningPod extends AsyncDisposable {
  /** Asks without a token unless one is given. */
  get(path: string, token?: string): Promise<Response>;
  readyz(): Promise<Readiness>;
  /** Waits until exactly these endpoints are there. */
  until(...endpoints: string[]): Promise<void>;
  /** Ends it as a kubelet does; gives the exit code. */
  terminate(): Promise<number | null>;
}

/** What `/readyz` says. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly watches: readonly { readonly state: string; readonly error?: { message: string } }[];
}

/** What {@link runPod} may be told. */
export interface RunPodOptions {
  /** Instead of the config map's. */
  readonly config?: string | undefined;
  /** Further files beside the configuration. */
  readonly files?: Readonly<Record<string, string>>;
  /** Instead of the service account's. */
  readonly token?: string;
}

/** What the Secret holds. */
export const secret = "for-requests";

/**
 * Runs what the Deployment says: its arguments, variables and mounts, with the rights of its service account.
 * Mounts lie in a folder of their own, and the port is any free one.
 */
export async function runPod(deployed: Deployed, options: RunPodOptions = {}): Promise<RunningPod> {
  const folder = await testFolder();
  await mount(deployed, folder.path, options);
  const { args, env } = containerOf(deployed.objects);
  const account = options.token ?? deployed.server.addServiceAccount(namespace, "muster");
  const kubeconfig = join(folder.path, "kubeconfig");
  await writeFile(kubeconfig, deployed.server.kubeconfig({ token: account, namespace }));
  vi.stubEnv("KUBECONFIG", kubeconfig);
  for (const { name } of env) vi.stubEnv(name, secret);
  const moved = args.map((arg) => (arg.startsWith("/") ? join(folder.path, arg) : arg));
  const child = muster(...moved, "--port", "0");
  vi.unstubAllEnvs();
  child.stderr?.resume();
  const ended = once(child, "exit");
  const url = (await reader(child, "stdout")(/\n/)).trim();
  const get: RunningPod["get"] = (path, token) =>
    fetch(url + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  const terminate = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    return ((await ended) as [number | null])[0];
  };
  const ids = async (): Promise<string[]> => {
    const { endpoints } = (await (await get("/api/endpoints", secret)).json()) as Shown;
    return endpoints.map(({ id }) => id).sort();
  };
  return {
    ...{ get, terminate },
    readyz: async () => (await (await get("/readyz")).json()) as Readiness,
    until: (...endpoints) => expect.poll(ids, { timeout: 10_000, interval: 20 }).toEqual(endpoints),
    async [Symbol.asyncDispose]() {
      await terminate();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Writes what the volumes hold to where the container has them. */
async function mount(
  deployed: Deployed,
  folder: string,
  { config, files = {} }: RunPodOptions,
): Promise<void> {
  const { volumes } = podOf(deployed.objects);
  for (const { name, mountPath } of containerOf(deployed.objects).volumeMounts) {
    const volume = volumes.find((it) => it.name === name);
    const { data } = deployed.find("ConfigMap", volume?.configMap.name) as { data?: unknown };
    const contents: Record<string, string> = { ...(data as Record<string, string>), ...files };
    if (config !== undefined) contents["muster.yaml"] = config;
    await mkdir(join(folder, mountPath), { recursive: true });
    for (const [file, text] of Object.entries(contents))
      await writeFile(join(folder, mountPath, file), text);
  }
}
