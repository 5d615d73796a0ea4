import { describe, expect, it } from "vitest";
import { maps, useRig, widgets } from "./rig.ts";

const rig = useRig();
const create = (name: string, labels = {}) => rig.ask("POST", maps, { metadata: { name, labels } });
const names = (list: { items: { metadata: { name: string } }[] }) =>
  list.items.map(({ metadata }) => metadata.name);

describe("lists", () => {
  it("come in pages of one revision, whatever happens between them", async () => {
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await rig.get(`${maps}?limit=2`);
    expect(first.body.metadata.remainingItemCount).toBe(1);
    await rig.ask("DELETE", `${maps}/c`);
    await create("d");
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await rig.get(`${maps}?limit=2&continue=${token}`);
    expect([names(first.body), names(second.body)]).toEqual([["a", "b"], ["c"]]);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body.metadata.continue).toBeUndefined();
  });

  it("are 410 when their revision was compacted, 400 for a token that is none", async () => {
    for (const name of ["a", "b"]) await create(name);
    const { body } = await rig.get(`${maps}?limit=1`);
    rig.server.faults.compact();
    const token = encodeURIComponent(body.metadata.continue);
    expect(await rig.get(`${maps}?limit=1&continue=${token}`)).toMatchObject({
      status: 410,
      body: { kind: "Status", reason: "Expired", code: 410 },
    });
    expect((await rig.get(`${maps}?continue=x`)).status).toBe(400);
  });

  it.each([
    ["labelSelector=app%3Da", ["a"]],
    ["labelSelector=app%21%3Da", ["b", "c"]],
    ["labelSelector=app%20in%20(a,b)", ["a", "b"]],
    ["labelSelector=app%20notin%20(a)", ["b", "c"]],
    ["labelSelector=app", ["a", "b"]],
    ["labelSelector=!app", ["c"]],
    ["labelSelector=constructor", []],
    ["fieldSelector=metadata.name%3Dc", ["c"]],
    ["fieldSelector=metadata.name%21%3Dc", ["a", "b"]],
  ])("select by %s", async (query, expected) => {
    for (const name of ["a", "b"]) await create(name, { app: name });
    await create("c");
    expect(names((await rig.get(`${maps}?${query}`)).body)).toEqual(expected);
  });

  it("refuse field selectors that a kind does not have, and limits that are none", async () => {
    expect((await rig.get(`${maps}?fieldSelector=status.phase%3DRunning`)).status).toBe(400);
    expect((await rig.get(`${maps}?fieldSelector=constructor%3Da`)).status).toBe(400);
    expect((await rig.get(`${maps}?limit=x`)).status).toBe(422);
  });
});

describe("watches", () => {
  it.each(["", "0"])("begin with everything from revision '%s'", async (revision) => {
    await create("a");
    const [event] = await rig.watch(`${maps}?watch=true&resourceVersion=${revision}`, 1);
    expect(event).toMatchObject({
      type: "ADDED",
      object: { kind: "ConfigMap", metadata: { name: "a" } },
    });
  });

  it("begin with what came after a revision; each event has its own", async () => {
    const { body } = await create("a");
    await rig.ask("PUT", `${maps}/a`, { metadata: { name: "a" }, data: { x: "1" } });
    await rig.ask("DELETE", `${maps}/a`);
    const path = `${maps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`;
    const events = await rig.watch(path, 2);
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
    const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    const made = Number(body.metadata.resourceVersion);
    expect(revisions).toEqual([made + 1, made + 2]);
  });

  it("tell what enters and leaves a selection as added and deleted", async () => {
    const { body } = await create("a", { app: "x" });
    const path = `${maps}?watch=true&labelSelector=app%3Dy&resourceVersion=${body.metadata.resourceVersion}`;
    const label = (app: string) =>
      rig.ask(
        "PATCH",
        `${maps}/a`,
        { metadata: { labels: { app } } },
        "application/merge-patch+json",
      );
    await label("y");
    await label("z");
    const events = await rig.watch(path, 2);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
    expect(events[1].object.metadata.labels).toEqual({ app: "y" });
  });

  it("bring bookmarks when asked to, also at the end of their time", async () => {
    const events = await rig.watch(
      `${maps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=1`,
      3,
    );
    const [bookmark] = events;
    expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { kind: "ConfigMap" } });
    const silent = await rig.watch(`${maps}?watch=true&timeoutSeconds=1`, 1);
    expect(silent).toEqual([]);
  });

  it("are 410 for what was compacted, by event or by status; 504 for what is yet to come", async () => {
    await create("a");
    rig.server.faults.compact("event");
    const path = `${maps}?watch=true&resourceVersion=1`;
    const [event] = await rig.watch(path, 1);
    expect(event).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    rig.server.faults.compact("status");
    expect((await rig.get(path)).status).toBe(410);
    const ahead = await rig.get(`${maps}?watch=true&resourceVersion=999999`);
    expect(ahead).toMatchObject({ status: 504, body: { details: { retryAfterSeconds: 1 } } });
    expect((await rig.get(`${maps}?watch=true&resourceVersion=x`)).status).toBe(422);
  });

  it("follow one object alone by its path", async () => {
    await create("a");
    await create("b");
    const events = await rig.watch(`${maps}/b?watch=true`, 1);
    expect(events[0].object.metadata.name).toBe("b");
  });

  it("end when their kind does", async () => {
    await rig.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    const watching = rig.watch("/apis/example.com/v1/widgets?watch=true", 1);
    await expect.poll(() => rig.server.openWatches).toBe(1);
    const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
    await rig.ask("DELETE", crd);
    expect(await watching).toEqual([]);
    expect((await rig.get("/apis/example.com/v1/widgets")).status).toBe(404);
  });
});
