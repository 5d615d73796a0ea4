import { describe, expect, it } from "vitest";
import { kinds, maps, useRig } from "./rig.ts";

const rig = useRig();
const pods = "/api/v1/namespaces/default/pods";
const create = async (name: string, metadata: object = {}) =>
  (await rig.ask("POST", maps, { metadata: { name, ...metadata } })).body;
const ownedBy = (...owners: { metadata: { name: string; uid: string } }[]) => ({
  ownerReferences: owners.map(({ metadata: { name, uid } }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name,
    uid,
  })),
});
const names = async (): Promise<string[]> =>
  (await rig.get(maps)).body.items.map(
    (item: { metadata: { name: string } }) => item.metadata.name,
  );

describe("deletion", () => {
  it("answers with a Status, and 404 the second time", async () => {
    await create("a");
    expect(await rig.ask("DELETE", `${maps}/a`)).toMatchObject({
      status: 200,
      body: { kind: "Status", status: "Success", details: { name: "a", kind: "configmaps" } },
    });
    expect((await rig.ask("DELETE", `${maps}/a`)).status).toBe(404);
  });

  it("holds to its preconditions", async () => {
    const { metadata } = await create("a");
    const remove = (preconditions: object) => rig.ask("DELETE", `${maps}/a`, { preconditions });
    expect(await remove({ uid: "other" })).toMatchObject({
      status: 409,
      body: { reason: "Conflict" },
    });
    expect((await remove({ uid: metadata.uid, resourceVersion: "1" })).status).toBe(409);
    const { uid, resourceVersion } = metadata;
    expect((await remove({ uid, resourceVersion })).status).toBe(200);
  });

  it("waits for finalizers", async () => {
    await create("a", { finalizers: ["example.com/wait"] });
    const marked = await rig.ask("DELETE", `${maps}/a`);
    expect(marked.body.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    expect(await names()).toEqual(["a"]);
    await rig.ask("PATCH", `${maps}/a`, { metadata: { finalizers: null } }, kinds.merge);
    expect(await names()).toEqual([]);
  });

  it("of a pod on a node takes its time, unless there is none", async () => {
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
    await rig.ask("POST", pods, { metadata: { name: "p" }, spec });
    const marked = await rig.ask("DELETE", `${pods}/p`);
    expect(marked.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect((await rig.get(`${pods}/p`)).status).toBe(200);
    await rig.ask("DELETE", `${pods}/p?gracePeriodSeconds=0`);
    expect((await rig.get(`${pods}/p`)).status).toBe(404);
  });

  it("of a selection leaves the others", async () => {
    await create("a", { labels: { app: "x" } });
    await create("b");
    expect((await rig.ask("DELETE", `${maps}?labelSelector=app%3Dx`)).status).toBe(200);
    expect(await names()).toEqual(["b"]);
  });

  it("of a namespace takes everything in it", async () => {
    await rig.ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    await rig.ask("POST", "/api/v1/namespaces/n/configmaps", { metadata: { name: "a" } });
    await rig.ask("DELETE", "/api/v1/namespaces/n");
    expect((await rig.get("/api/v1/configmaps")).body.items).toEqual([]);
  });
});

describe("what belongs to others", () => {
  it("goes with its last owner", async () => {
    const [a, b] = [await create("a"), await create("b")];
    const c = await create("c", ownedBy(a, b));
    await create("d", ownedBy(c));
    await rig.ask("DELETE", `${maps}/a`);
    expect(await names()).toEqual(["b", "c", "d"]);
    await rig.ask("DELETE", `${maps}/b`);
    expect(await names()).toEqual([]);
  });

  it("stays when its owner's deletion says so", async () => {
    const a = await create("a");
    await create("b", ownedBy(a));
    await rig.ask("DELETE", `${maps}/a?propagationPolicy=Orphan`);
    expect(await names()).toEqual(["b"]);
    expect((await rig.get(`${maps}/b`)).body.metadata.ownerReferences).toEqual([]);
  });

  it("is collected when its owner was never there", async () => {
    await create("a", ownedBy({ metadata: { name: "none", uid: "none" } }));
    expect(await names()).toEqual([]);
  });
});
