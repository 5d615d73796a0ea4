import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashPodName } from "@muster/core/plane";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkIdentity, type KubeIdentity, recordName } from "./identity.ts";
import { readKubeIdentity } from "./read-identity.ts";

const identity: KubeIdentity = { podName: "worker-0", podUid: "u", namespace: "ns" };
const container = { ...identity, mode: "container" } as const;

describe("recordName", () => {
  it.each<[KubeIdentity, string]>([
    [identity, "worker-0"],
    [{ ...identity, mode: "pod", containerName: "engine-0" }, "worker-0"],
    [{ ...container, containerName: "main" }, "worker-0"],
    [{ ...container, containerName: "engine-0" }, "worker-0-engine-0"],
  ])("of %o is %s", (given, name) => {
    expect(recordName(given)).toBe(name);
  });

  it("gives containers the ids of the original", () => {
    const name = recordName({ ...container, containerName: "engine-0" });
    expect(hashPodName(name)).toBe(8051026481054291n);
  });
});

describe("checkIdentity", () => {
  it.each<[Partial<Record<keyof KubeIdentity, unknown>>, string]>([
    [{ podName: "" }, "identity.podName"],
    [{ podName: "../x" }, "identity.podName"],
    [{ podName: 7 }, "identity.podName"],
    [{ podUid: "" }, "identity.podUid"],
    [{ namespace: "A" }, "identity.namespace"],
    [{ mode: "node" }, "identity.mode"],
    [{ mode: "container" }, "identity.containerName"],
    [{ mode: "container", containerName: "a b" }, "identity.containerName"],
    [
      { podName: "a".repeat(250), mode: "container", containerName: "engine" },
      "identity.podName with containerName",
    ],
  ])("refuses %o", (wrong, path) => {
    expect(() => checkIdentity({ ...identity, ...wrong } as KubeIdentity)).toThrow(
      expect.objectContaining({ code: "KUBE_CONFIG", path }),
    );
  });
});

describe("readKubeIdentity", () => {
  let podinfoDir: string;

  beforeEach(async () => {
    podinfoDir = await mkdtemp(join(tmpdir(), "muster-podinfo-"));
  });

  afterEach(async () => {
    await rm(podinfoDir, { recursive: true });
  });

  const env = { POD_NAME: "env-name", POD_UID: "env-uid", POD_NAMESPACE: "env-ns" };

  it("takes the files of the downward API before the environment, and trims them", async () => {
    await writeFile(join(podinfoDir, "pod_name"), "file-name\n");
    await writeFile(join(podinfoDir, "pod_uid"), "  ");
    expect(await readKubeIdentity({ env, podinfoDir })).toMatchObject({
      ...{ podName: "file-name", podUid: "env-uid", namespace: "env-ns", mode: "pod" },
    });
  });

  it("guesses the namespace, and says so", async () => {
    const warn = vi.fn();
    const logger = { warn, debug: warn, info: warn, error: warn } as never;
    const { POD_NAMESPACE: _namespace, ...rest } = env;
    const read = await readKubeIdentity({ env: rest, podinfoDir, logger });
    expect(read.namespace).toBe("default");
    expect(warn).toHaveBeenCalledOnce();
  });

  it("reads the mode, and the container with it", async () => {
    const more = { ...env, DYN_KUBE_DISCOVERY_MODE: "container", CONTAINER_NAME: "engine-0" };
    const read = await readKubeIdentity({ env: more, podinfoDir });
    expect(recordName(read)).toBe("env-name-engine-0");
  });

  it.each<[Record<string, string>, string]>([
    [{ POD_NAME: "" }, "POD_NAME"],
    [{ POD_UID: " " }, "POD_UID"],
    [{ DYN_KUBE_DISCOVERY_MODE: "node" }, "DYN_KUBE_DISCOVERY_MODE"],
    [{ DYN_KUBE_DISCOVERY_MODE: "container" }, "identity.containerName"],
  ])("refuses %o", async (wrong, path) => {
    await expect(readKubeIdentity({ env: { ...env, ...wrong }, podinfoDir })).rejects.toThrow(
      expect.objectContaining({ code: "KUBE_CONFIG", path }),
    );
  });
});
