import { describe, expect, it } from "vitest";
import { kinds, maps, useRig, widgets } from "./rig.ts";

const rig = useRig();
const create = (name: string, rest: object = {}) =>
  rig.ask("POST", maps, { metadata: { name }, ...rest });
const apply = (name: string, manager: string, data: object, query = "") =>
  rig.ask(
    "PATCH",
    `${maps}/${name}?fieldManager=${manager}${query}`,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data },
    kinds.apply,
  );

describe("creation", () => {
  it("gives uid, revision, time and generation, and refuses what is there", async () => {
    const { status, body } = await create("a");
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({ name: "a", namespace: "default", generation: 1 });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await create("a")).toMatchObject({ status: 409, body: { reason: "AlreadyExists" } });
  });

  it.each<[number, string, object]>([
    [422, maps, { metadata: { name: "Not A Name" } }],
    [400, maps, { metadata: { name: "a", resourceVersion: "5" } }],
    [400, maps, { metadata: { name: "a", namespace: "other" } }],
    [400, maps, { metadata: { name: "a" }, kind: "Pod" }],
    [422, maps, { metadata: { name: "a", labels: { a: "no spaces" } } }],
    [404, "/api/v1/namespaces/none/configmaps", { metadata: { name: "a" } }],
    [404, "/apis/none.example.com/v1/things", { metadata: { name: "a" } }],
    [422, "/api/v1/namespaces/default/pods", { metadata: { name: "a" }, spec: {} }],
  ])("is refused with %i at %s: %j", async (status, path, body) => {
    const answer = await rig.ask("POST", path, body);
    expect(answer).toMatchObject({ status, body: { kind: "Status", code: status } });
  });
});

describe("updates", () => {
  it("need the present revision where they name one, and the right uid", async () => {
    const { body } = await create("a");
    const put = (metadata: object) => rig.ask("PUT", `${maps}/a`, { metadata, data: { x: "1" } });
    const { resourceVersion } = body.metadata;
    expect((await put({ name: "a", resourceVersion })).status).toBe(200);
    expect((await put({ name: "a", resourceVersion })).status).toBe(409);
    expect((await put({ name: "a", uid: "other" })).status).toBe(409);
    expect((await put({ name: "b" })).status).toBe(400);
  });

  it("without a change get no new revision", async () => {
    const { body } = await create("a", { data: { x: "1" } });
    const same = await rig.ask("PATCH", `${maps}/a`, { data: { x: "1" } }, kinds.merge);
    expect(same.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it("of a pod leave its specification and, on the main path, its status alone", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }] };
    const made = await rig.ask("POST", pods, {
      metadata: { name: "p" },
      spec,
      status: { phase: "Running" },
    });
    expect(made.body.status).toEqual({ phase: "Pending" });
    const patch = (path: string, body: object) => rig.ask("PATCH", path, body, kinds.strategic);
    const running = {
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    };
    expect((await patch(`${pods}/p`, running)).body.status.phase).toBe("Pending");
    expect((await patch(`${pods}/p/status`, running)).body.status.phase).toBe("Running");
    expect((await patch(`${pods}/p`, { spec: { nodeName: "n" } })).status).toBe(422);
    const image = { spec: { containers: [{ name: "c", image: "j" }] } };
    expect((await patch(`${pods}/p`, image)).body.spec.containers).toEqual([
      { name: "c", image: "j" },
    ]);
    const other = { status: { conditions: [{ type: "Other", status: "False" }] } };
    const { body } = await patch(`${pods}/p/status`, other);
    expect(body.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
      "Ready",
      "Other",
    ]);
  });

  it("by JSON patch: in order, or not at all", async () => {
    await create("a", { data: { x: "1" } });
    const patch = (operations: object) => rig.ask("PATCH", `${maps}/a`, operations, kinds.json);
    const done = await patch([
      { op: "test", path: "/data/x", value: "1" },
      { op: "replace", path: "/data/x", value: "2" },
      { op: "add", path: "/data/~1y", value: "3" },
    ]);
    expect(done.body.data).toEqual({ x: "2", "/y": "3" });
    const refused = await patch([
      { op: "remove", path: "/data/x" },
      { op: "test", path: "/data/x", value: "1" },
    ]);
    expect(refused.status).toBe(422);
    expect((await rig.get(`${maps}/a`)).body.data.x).toBe("2");
  });

  it("by a kind of patch that is none are 415, with those that are", async () => {
    await create("a");
    const answer = await rig.ask("PATCH", `${maps}/a`, {}, "application/json");
    expect(answer).toMatchObject({ status: 415, body: { reason: "UnsupportedMediaType" } });
    expect(answer.body.message).toContain(kinds.merge);
  });

  it("keep fields of any name as data", async () => {
    await create("a");
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const { body } = await rig.ask("PATCH", `${maps}/a`, { data }, kinds.merge);
    expect(Object.entries(body.data).sort()).toEqual(Object.entries(data).sort());
  });
});

describe("server-side apply", () => {
  it("creates, changes, and removes what its manager no longer says", async () => {
    expect((await apply("a", "one", { x: "1", y: "1" })).status).toBe(201);
    const { status, body } = await apply("a", "one", { x: "2" });
    expect([status, body.data]).toEqual([200, { x: "2" }]);
    expect(body.metadata.managedFields).toMatchObject([{ manager: "one", operation: "Apply" }]);
  });

  it("conflicts with other managers and with plain writes, unless forced", async () => {
    await apply("a", "one", { x: "1" });
    expect((await apply("a", "two", { x: "1" })).status).toBe(200);
    const refused = await apply("a", "two", { x: "2" });
    expect(refused).toMatchObject({ status: 409, body: { reason: "Conflict" } });
    expect(refused.body.message).toContain('conflicts with "one"');
    expect((await apply("a", "two", { x: "2" }, "&force=true")).body.data).toEqual({ x: "2" });
    await rig.ask("PATCH", `${maps}/a`, { data: { x: "3" } }, kinds.merge);
    expect((await apply("a", "two", { x: "4" })).body.message).toContain('conflicts with "rig"');
  });

  it("the same again is no change", async () => {
    const first = await apply("a", "one", { x: "1" });
    const again = await apply("a", "one", { x: "1" });
    expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it("needs a manager, a kind, and no managedFields", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const patch = (query: string, sent: object) =>
      rig.ask("PATCH", `${maps}/a${query}`, sent, kinds.apply);
    expect((await patch("", body)).status).toBe(400);
    expect((await patch("?fieldManager=m", { metadata: { name: "a" } })).status).toBe(400);
    const claimed = { ...body, metadata: { name: "a", managedFields: [] } };
    expect((await patch("?fieldManager=m", claimed)).status).toBe(400);
  });
});

describe("custom resources", () => {
  const path = "/apis/example.com/v1/namespaces/default/widgets";
  const widget = (spec: object, more: object = {}) => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", ...more },
    spec,
    status: { ok: true },
  });

  it("are there while their definition is, checked and pruned by its schema", async () => {
    expect((await rig.ask("POST", path, widget({ size: 1 }))).status).toBe(404);
    const crd = await rig.ask(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      widgets,
    );
    expect(crd.body.status.conditions).toContainEqual({ type: "Established", status: "True" });
    expect((await rig.ask("POST", path, widget({ size: "big" }))).status).toBe(422);
    expect((await rig.ask("POST", path, widget({}))).status).toBe(422);
    const made = await rig.ask("POST", path, widget({ size: 1, unknown: 2 }));
    expect([made.body.spec, made.body.status]).toEqual([{ size: 1 }, undefined]);
    expect((await rig.ask("PUT", `${path}/w`, widget({ size: 2 }))).status).toBe(422);
    expect((await rig.ask("PATCH", `${path}/w`, {}, kinds.strategic)).status).toBe(415);
  });

  it("count generations of what is wanted, not of labels and status", async () => {
    await rig.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    await rig.ask("POST", path, widget({ size: 1 }));
    const patch = async (sub: string, body: object): Promise<number> =>
      (await rig.ask("PATCH", `${path}/w${sub}`, body, kinds.merge)).body.metadata.generation;
    expect(await patch("", { metadata: { labels: { a: "b" } } })).toBe(1);
    expect(await patch("/status", { status: { ok: false } })).toBe(1);
    expect(await patch("", { spec: { size: 2 } })).toBe(2);
  });
});
