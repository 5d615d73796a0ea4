import { expect, it, vi } from "vitest";
import { type Deployed, deploy, namespace } from "./deployed.ts";
import { inferencePool } from "./objects.ts";
import { readPage } from "./page.ts";
import { type RunningPod, type RunPodOptions, runPod } from "./running-pod.ts";

// each starts a process
vi.setConfig({ testTimeout: 60_000 });

const page = await readPage();

/** What `/readyz` says last, in the words of the page: with the address of a cluster. */
async function expectReason(pod: RunningPod, deployed: Deployed, code: string): Promise<void> {
  const reason = async (): Promise<string> => (await pod.readyz()).reasons.join("\n");
  await expect.poll(reason, { timeout: 10_000, interval: 20 }).toContain(code);
  const port = new URL(deployed.server.url).port;
  const said = (await reason()).replaceAll(`127.0.0.1:${port}`, "10.96.0.1:443");
  expect(said).not.toContain("\n");
  expect(page).toContain(`\n${said.replace(/^.* has not completed its first pass: /, "")}\n`);
  expect((await pod.get("/readyz")).status).toBe(503);
}

interface Case {
  readonly what: string;
  readonly code: string;
  readonly bare?: boolean;
  readonly components?: readonly string[];
  readonly options?: RunPodOptions;
  /** Before the app starts. */
  prepare?(deployed: Deployed): Promise<unknown>;
}

const cases: readonly Case[] = [
  { what: "the kind InferencePool is not there", code: "KUBE_NOT_FOUND", bare: true },
  { what: "the pool is not there", code: "KUBE_NOT_FOUND" },
  {
    what: "the pool selects nothing",
    code: "KUBE_INVALID",
    prepare: ({ apply }) =>
      apply({ ...inferencePool("v1"), spec: { selector: {}, targetPorts: [{ number: 8000 }] } }),
  },
  {
    what: "there is no Role",
    code: "KUBE_FORBIDDEN",
    components: ["selector"],
    prepare: ({ remove, find }) => remove(find("RoleBinding")),
  },
  { what: "the token is not valid", code: "KUBE_AUTH", options: { token: "stolen" } },
  {
    what: "the API server is away",
    code: "KUBE_UNAVAILABLE",
    prepare: ({ server }) => server.stop(),
  },
];

it.each(cases)("says in the words of docs/kubernetes.md that $what", async (it) => {
  const { code, components, options, prepare } = it;
  await using deployed = await deploy(components, it);
  await prepare?.(deployed);
  await using pod = await runPod(deployed, options);
  await expectReason(pod, deployed, code);
});

it("turns ready once what was missing is there, and stays so when it goes", async () => {
  await using deployed = await deploy([], { bare: true });
  await using pod = await runPod(deployed);
  await expectReason(pod, deployed, "KUBE_NOT_FOUND");
  await deployed.installKinds();
  await deployed.apply(inferencePool("v1"));
  const ready = async (): Promise<boolean> => (await pod.readyz()).ready;
  await expect.poll(ready, { timeout: 10_000 }).toBe(true);
  await deployed.remove({ ...inferencePool("v1"), metadata: { name: "llama", namespace } });
  await expect
    .poll(async () => JSON.stringify(await pod.readyz()), { timeout: 10_000 })
    .toContain('"state":"degraded"');
  expect(await ready()).toBe(true);
});
