import { attributeKey, discovered, namespacedName, typedName } from "@muster/core";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { meta } from "../../test/support/fleet.ts";
import { createEndpointStore } from "./endpoint-store.ts";

const card = attributeKey<string>("card");
const zone = attributeKey<string>("zone");
const own = attributeKey<string>("own");
const a = namespacedName("default", "a");

function twoOwners(maxEndpoints?: number) {
  const logger = createRecordingLogger();
  const metrics = createRecordingMeter();
  const store = createEndpointStore({ clock: createFakeClock(), logger, metrics, maxEndpoints });
  return {
    ...{ logger, metrics, store },
    first: store.owner(typedName("first")),
    second: store.owner(typedName("second")),
    view: () => store.endpoints.get("default/a"),
  };
}

describe("section 5, Better: several discoveries, each owning what it reported", () => {
  it("the same id from two is a conflict: the first keeps it, reported and counted once", () => {
    const { first, second, view, logger, metrics } = twoOwners();
    first.endpointUpsert(meta("a", { port: 1 }));
    second.endpointUpsert(meta("a", { port: 2 }));
    second.endpointUpsert(meta("a", { port: 3 }));
    first.endpointUpsert(meta("a", { port: 4 }));
    expect(view()?.metadata.port).toBe("4");
    expect(view()?.owner).toEqual({ type: "first", name: "first" });
    expect([first.size, second.size]).toEqual([1, 0]);
    expect(logger.lines.map(({ fields }) => fields)).toEqual([
      {
        code: "DISCOVERY_CONFLICT",
        endpoint: "default/a",
        owner: "first/first",
        discovery: "second/second",
      },
    ]);
    expect(metrics.value("muster_datalayer_discovery_conflicts_total")).toBe(1);
  });

  it("hands it over when the owner deletes it, as an update with the heir's latest report", async () => {
    const { first, second, view, store } = twoOwners();
    first.endpointUpsert(meta("a", { port: 1 }), {
      attributes: [discovered(card, "1"), discovered(zone, "z")],
    });
    second.endpointUpsert(meta("a", { port: 2 }), { attributes: [discovered(card, "2")] });
    second.endpointUpsert(meta("a", { port: 3 }), { attributes: [discovered(card, "3")] });
    const endpoint = view();
    const changes = store.endpoints.changes({ since: store.endpoints.revision });
    const feed = changes[Symbol.asyncIterator]();
    const next = feed.next();
    first.endpointDelete(a);
    expect((await next).value).toMatchObject({ type: "upsert" });
    expect(view()).toBe(endpoint);
    expect(endpoint?.metadata.port).toBe("3");
    expect(endpoint?.owner.type).toBe("second");
    expect(endpoint?.attributes.get(card)).toBe("3");
    expect(endpoint?.attributes.get(zone)).toBeUndefined();
    expect([first.size, second.size]).toEqual([0, 1]);
    await feed.return?.();
  });

  it("hands it to the one that has waited longest, and back in turn", () => {
    const { first, second, store, view } = twoOwners();
    const third = store.owner(typedName("third"));
    first.endpointUpsert(meta("a"));
    second.endpointUpsert(meta("a"));
    third.endpointUpsert(meta("a"));
    first.endpointDelete(a);
    first.endpointUpsert(meta("a"));
    expect(view()?.owner.type).toBe("second");
    second.endpointDelete(a);
    expect(view()?.owner.type).toBe("third");
    third.endpointDelete(a);
    expect(view()?.owner.type).toBe("first");
    first.endpointDelete(a);
    expect(view()).toBeUndefined();
  });

  it("one that waits may withdraw; deleting what one never reported does nothing", () => {
    const { first, second, view } = twoOwners();
    first.endpointUpsert(meta("a"));
    second.endpointDelete(a);
    expect(view()).toBeDefined();
    second.endpointUpsert(meta("a"));
    second.endpointDelete(a);
    first.endpointDelete(a);
    expect(view()).toBeUndefined();
  });

  it("attributes given by a discovery belong to it: not given again, they leave", () => {
    const { first, view, store } = twoOwners();
    first.endpointUpsert(meta("a"), {
      attributes: [discovered(card, "1"), discovered(zone, "z")],
    });
    store.writer("default/a")?.attributes.put(own, "extracted");
    first.endpointUpsert(meta("a"), { attributes: [discovered(zone, "y")] });
    expect(view()?.attributes.keys().sort()).toEqual(["own", "zone"]);
    expect(view()?.attributes.get(zone)).toBe("y");
    first.endpointUpsert(meta("a"));
    expect(view()?.attributes.keys()).toEqual(["own"]);
  });

  it("a change of the given attributes alone is a change; the same again is none", () => {
    const { first, store } = twoOwners();
    const report = (value: string): string => {
      first.endpointUpsert(meta("a"), { attributes: [discovered(card, value)] });
      return store.endpoints.revision;
    };
    const revisions = [report("1"), report("1"), report("2"), report("2")];
    expect(new Set(revisions).size).toBe(2);
  });
});

describe("passes of a discovery", () => {
  it("delete what was not reported again, or hand it over", () => {
    const { first, second, store } = twoOwners();
    first.beginPass();
    for (const name of ["a", "b", "c"]) first.endpointUpsert(meta(name));
    first.completePass();
    second.endpointUpsert(meta("b"));
    first.beginPass();
    first.endpointUpsert(meta("a"));
    expect(store.endpoints.size).toBe(3);
    first.completePass();
    expect(store.endpoints.list().map(({ id, owner }) => [id, owner.type])).toEqual([
      ["default/a", "first"],
      ["default/b", "second"],
    ]);
  });

  it("degraded shows on the endpoints one owns, each time as one change", () => {
    const { first, second, store } = twoOwners();
    first.endpointUpsert(meta("a"));
    second.endpointUpsert(meta("b"));
    second.endpointUpsert(meta("a"));
    second.setDegraded(true);
    const { revision } = store.endpoints;
    second.setDegraded(true);
    expect(store.endpoints.revision).toBe(revision);
    expect(store.endpoints.list({ degraded: true }).map(({ id }) => id)).toEqual(["default/b"]);
    second.setDegraded(false);
    expect(store.endpoints.list({ degraded: true })).toEqual([]);
  });
});

describe("the number of endpoints", () => {
  it("is capped: further ones are refused and counted, said once, until there is room", () => {
    const { first, second, store, logger, metrics } = twoOwners(2);
    for (const name of ["a", "b", "c", "d"]) first.endpointUpsert(meta(name));
    second.endpointUpsert(meta("a"));
    expect(store.endpoints.size).toBe(2);
    const refused = logger.lines.filter(({ fields }) => fields.code === "DISCOVERY_TOO_LARGE");
    expect(refused.map(({ fields }) => fields.endpoint)).toEqual(["default/c"]);
    expect(metrics.value("muster_datalayer_discovery_refused_total")).toBe(2);
    first.endpointDelete(namespacedName("default", "b"));
    first.endpointUpsert(meta("c"));
    expect(store.endpoints.get("default/c")).toBeDefined();
  });
});
