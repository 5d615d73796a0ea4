import { expect, it } from "vitest";
import { KnownObjects } from "./known-objects.ts";
import type { KubeObject } from "./kube-object.ts";
import { PendingEvents } from "./pending-events.ts";

const object = (resourceVersion: string): KubeObject => ({
  metadata: { name: "a", uid: "1", resourceVersion },
});

it.each<[string, string, string, string | undefined]>([
  ["goes on", "20", "21", undefined],
  ["is of a backup", "20", "19", "Modified"],
  ["is of a backup, older than what a watch said last", "17", "17", "Modified"],
  ["has no numbers", "x", "w", undefined],
])("history %s: an object of the same version is told again only then", (_, first, next, told) => {
  const pending = new PendingEvents<KubeObject>();
  const known = new KnownObjects<KubeObject>(pending);
  known.listing(first);
  known.upsert(object("18"));
  expect(pending.next()?.type).toBe("Added");
  known.listing(next);
  known.upsert(object("18"));
  expect(pending.next()?.type).toBe(told);
});
