import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, MusterError, messageOf } from "@muster/core";
import { checkIdentity, type KubeIdentity, type ReadinessMode } from "./identity.ts";

/** Where {@link readKubeIdentity} looks. */
export interface ReadKubeIdentityOptions {
  /** The environment, such as `process.env`: nothing else is read of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of a downward API volume; default `/etc/podinfo`. */
  readonly podinfoDir?: string | undefined;
  /** Told when the namespace had to be guessed. */
  readonly logger?: Logger | undefined;
}

/**
 * Who the pod is that this runs in: the files `pod_name`, `pod_uid` and `pod_namespace` of the downward
 * API, else `POD_NAME`, `POD_UID` and `POD_NAMESPACE` (default `default`); `DYN_KUBE_DISCOVERY_MODE`
 * (`pod` or `container`) and `CONTAINER_NAME`.
 *
 * @throws MusterError KUBE_CONFIG
 */
export async function readKubeIdentity(options: ReadKubeIdentityOptions): Promise<KubeIdentity> {
  const { env, podinfoDir = "/etc/podinfo", logger } = options;
  const find = async (file: string, name: string): Promise<string | undefined> =>
    (await textOf(join(podinfoDir, file))) ?? given(env[name]);
  const podName = (await find("pod_name", "POD_NAME")) ?? missing("POD_NAME", podinfoDir);
  const podUid = (await find("pod_uid", "POD_UID")) ?? missing("POD_UID", podinfoDir);
  const namespace = await find("pod_namespace", "POD_NAMESPACE");
  if (namespace === undefined)
    logger?.warn({ namespace: "default" }, "POD_NAMESPACE is not set: taking namespace default");
  return checkIdentity({
    podName,
    podUid,
    namespace: namespace ?? "default",
    mode: modeOf(given(env.DYN_KUBE_DISCOVERY_MODE)),
    containerName: given(env.CONTAINER_NAME),
  });
}

function modeOf(mode = "pod"): ReadinessMode {
  if (mode === "pod" || mode === "container") return mode;
  throw new MusterError(
    "KUBE_CONFIG",
    `DYN_KUBE_DISCOVERY_MODE must be pod or container, not "${mode.slice(0, 100)}"`,
    { path: "DYN_KUBE_DISCOVERY_MODE" },
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return given(await readFile(path, "utf8"));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new MusterError("KUBE_CONFIG", `cannot read ${path}: ${messageOf(error)}`, {
      path,
      cause: error,
    });
  }
}

function given(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function missing(name: string, podinfoDir: string): never {
  throw new MusterError(
    "KUBE_CONFIG",
    `who am I? set ${name} (fieldRef of the downward API), or mount its file in ${podinfoDir}`,
    { path: name },
  );
}
