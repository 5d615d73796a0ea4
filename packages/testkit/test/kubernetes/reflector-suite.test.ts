import {
  createKubernetesServer,
  describeReflector,
  type FollowedEvent,
  type FollowedObject,
  type FollowRequest,
  type ReflectorCluster,
  type WorldRequest,
} from "@muster/testkit/kubernetes";
import { expect, it } from "vitest";
import { failuresOf } from "../collect.ts";

type Poll = (url: string, request: FollowRequest) => AsyncIterableIterator<FollowedEvent>;

/** Failures of a reader that lists all the time, and can do no more than its `poll` does. */
function failures(poll: Poll, only?: string): Promise<readonly string[]> {
  const open = async (): Promise<ReflectorCluster> => {
    const server = createKubernetesServer();
    await server.start();
    return {
      async request<T>({ method = "GET", path, body, contentType }: WorldRequest) {
        const response = await fetch(server.url + path, {
          method,
          headers: { "content-type": contentType ?? "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return (await response.json()) as T;
      },
      follow: (request) => poll(server.url, request),
      close: () => server.stop(),
    };
  };
  // a right one is given the time it needs on a busy machine, a wrong one never gets there
  const patience = only === undefined ? 5000 : 150;
  return failuresOf((api) => describeReflector(api, { patience, open }), only);
}

interface Flaws {
  readonly deletions?: false;
  readonly uids?: false;
  readonly frozen?: false;
  readonly selectors?: false;
}

/** Lists again and again, and tells the differences, less what the flaws leave out. */
const polling = (flaws: Flaws): Poll =>
  async function* (url, { namespace, labelSelector, fieldSelector, signal }) {
    const query = new URLSearchParams({
      ...(labelSelector !== undefined && flaws.selectors !== false && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    });
    const path = namespace === undefined ? "" : `/namespaces/${namespace}`;
    const known = new Map<string, FollowedObject>();
    for (let first = true; !signal.aborted; first = false) {
      const response = await fetch(`${url}/api/v1${path}/configmaps?${query}`);
      const { items } = (await response.json()) as { items: FollowedObject[] };
      const listed = new Map(items.map((item) => [item.metadata.name, item]));
      for (const [name, object] of known)
        if (flaws.deletions !== false && listed.get(name)?.metadata.uid !== object.metadata.uid) {
          known.delete(name);
          const wrong = flaws.uids === false && { uid: "another" };
          yield { type: "Deleted", object: { metadata: { ...object.metadata, ...wrong } } };
        }
      for (const [name, object] of listed) {
        const before = known.get(name);
        known.set(name, object);
        if (flaws.frozen !== false) freeze(object);
        if (before === undefined) yield { type: "Added", object };
        else if (before.metadata.resourceVersion !== object.metadata.resourceVersion)
          yield { type: "Modified", object };
      }
      if (first) yield { type: "Synced" };
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

it("passes what does as the contract says", async () => {
  expect(await failures(polling({}))).toEqual([]);
});

it.each<[string, Flaws, string]>([
  ["never deletes", { deletions: false }, "follows one object alone"],
  [
    "says of the wrong object that it is gone",
    { uids: false },
    "says that an object was replaced by another of its name",
  ],
  [
    "shares objects that can be changed",
    { frozen: false },
    "gives objects that readers cannot change, whatever their fields are called",
  ],
  [
    "does not select",
    { selectors: false },
    "follows what becomes selected, and lets go of what is not any more",
  ],
])("fails what %s", async (_, flaws, name) => {
  expect(await failures(polling(flaws), name)).toEqual([name]);
});
