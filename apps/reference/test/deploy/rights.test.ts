import { expect, it, vi } from "vitest";
import { type Deployed, deploy, namespace } from "./deployed.ts";
import { inferencePool, podsPlugin, slice } from "./objects.ts";
import { pageFiles } from "./page.ts";
import { type RunningPod, type RunPodOptions, runPod } from "./running-pod.ts";

// each starts a process
vi.setConfig({ testTimeout: 60_000 });

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What the Roles that are bound to the service account allow, each right once. */
function granted({ objects, find }: Deployed): string[] {
  expect(objects.filter(({ kind }) => kind.startsWith("Cluster"))).toEqual([]);
  const bindings = objects.filter(({ kind }) => kind === "RoleBinding");
  const rules = bindings.flatMap(({ subjects, roleRef }) => {
    expect(subjects).toEqual([{ kind: "ServiceAccount", name: "muster" }]);
    return find("Role", (roleRef as { name: string }).name).rules as Rule[];
  });
  const rights = rules.flatMap(({ verbs, apiGroups, resources }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => `${verb} ${group}/${resource} in ${namespace}`),
      ),
    ),
  );
  return [...new Set(rights)].sort();
}

/** What the app has asked for, each right once; nothing of it was refused. */
function asked({ server }: Deployed): string[] {
  const ours = server.requests.filter(({ user }) => user.startsWith("system:serviceaccount:"));
  expect(ours.filter(({ status }) => status === 403)).toEqual([]);
  const rights = ours.map(
    ({ verb, group, resource, subresource, ...where }) =>
      `${verb} ${group}/${resource}${subresource === undefined ? "" : `/${subresource}`} in ${where.namespace}`,
  );
  return [...new Set(rights)].sort();
}

/** Applies the base with some components, runs the app, and tells what it asked for. */
async function asksForWhatIsGranted(
  components: readonly string[],
  story: (pod: RunningPod, deployed: Deployed) => Promise<void>,
  options?: RunPodOptions,
): Promise<void> {
  await using deployed = await deploy(components);
  {
    await using pod = await runPod(deployed, options);
    await story(pod, deployed);
  }
  expect(asked(deployed)).toEqual(granted(deployed));
}

const untilOpen = ({ server }: Deployed, watches: number): Promise<void> =>
  expect.poll(() => server.openWatches, { timeout: 10_000, interval: 20 }).toBe(watches);

it("an InferencePool takes what its Role allows, and nothing else", async () => {
  await asksForWhatIsGranted([], async (pod, deployed) => {
    // nobody has the pool yet, so both versions are watched
    await untilOpen(deployed, 2);
    await deployed.apply(inferencePool("v1"));
    await deployed.pod("a");
    await deployed.pod("b");
    await pod.until("serving/a-rank-0", "serving/b-rank-0");
    await deployed.removePod("a");
    await pod.until("serving/b-rank-0");
  });
});

it("a pool of the older kind takes no more", async () => {
  await asksForWhatIsGranted([], async (pod, deployed) => {
    await deployed.apply(inferencePool("v1alpha2"));
    await deployed.pod("a");
    await pod.until("serving/a-rank-0");
    await untilOpen(deployed, 3);
  });
});

it("a selector takes what its Role allows, and nothing else", async () => {
  await asksForWhatIsGranted(["selector"], async (pod, deployed) => {
    await deployed.pod("a");
    await pod.until("serving/a-rank-0");
    await deployed.removePod("a");
    await pod.until();
  });
});

it("a Service takes what its Role allows, and nothing else", async () => {
  await asksForWhatIsGranted(["service"], async (pod, deployed) => {
    await deployed.apply(slice("a", "b"));
    await pod.until("serving/a-rank-0", "serving/b-rank-0");
    await deployed.apply(slice("b"));
    await pod.until("serving/b-rank-0");
  });
});

it("a notification source of Pods takes what its Role allows, beside a Service", async () => {
  const config = (await pageFiles()).get("watch-pods.yaml");
  const story = async (pod: RunningPod, deployed: Deployed): Promise<void> => {
    await untilOpen(deployed, 2);
    await deployed.apply(slice("a"));
    await pod.until("serving/a-rank-0");
    expect((await pod.readyz()).watches).toMatchObject([{ state: "running" }]);
  };
  const files = { "plugin.mjs": podsPlugin };
  await asksForWhatIsGranted(["service", "watch-pods"], story, { config, files });
});
