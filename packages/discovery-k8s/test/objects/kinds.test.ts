import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Reading } from "./reading.ts";
import { configMaps, openWorld, uniqueKind, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe("an object watcher of Kubernetes", { timeout: 60_000 }, () => {
  it("looks in the namespaces it is told, or in all", async () => {
    const other = `${world.namespace}-other`;
    await world.createNamespace(other);
    await world.put("a", "1");
    await world.put("b", "1", other);
    const here = new Reading(world.watcher(), configMaps);
    const both = new Reading(world.watcher({ namespaces: [world.namespace, other] }), configMaps);
    const all = new Reading(world.watcher({ namespaces: "all" }), configMaps);
    await here.shows({ a: "1" });
    await both.shows({ a: "1", b: "1" });
    await expect.poll(() => all.marks).toMatchObject({ a: "1", b: "1" });
    await world.put("b", "2", other);
    await both.shows({ a: "1", b: "2" });
    await world.remove("a");
    await here.shows({});
    await both.shows({ b: "2" });
    await world.api.request({ method: "DELETE", path: `/api/v1/namespaces/${other}` });
  });

  it("takes what its selectors select, and lets go of what they do not select any more", async () => {
    await world.put("a", "yes");
    await world.put("b", "no");
    const some = new Reading(world.watcher({ labelSelector: "mark=yes" }), configMaps);
    const one = new Reading(world.watcher({ fieldSelector: "metadata.name=b" }), configMaps);
    await some.shows({ a: "yes" });
    await one.shows({ b: "no" });
    await world.put("a", "no");
    await world.put("b", "yes");
    await some.shows({ b: "yes" });
  });

  it("takes kinds without namespaces as they are, whatever namespaces it is told", async () => {
    const region = uniqueKind("Region");
    await world.install(region, { plural: "regions", scope: "Cluster" });
    await world.add(region, "regions", "north", true);
    const reading = new Reading(world.watcher(), region);
    await reading.shows({ north: "1" });
    expect(reading.events[0]?.object.metadata?.namespace).toBeUndefined();
  });

  it("gives objects their kind, however their list is called", async () => {
    const sheep = uniqueKind("Sheep");
    await world.install(sheep, { plural: "sheep", listKind: "Flock" });
    await world.add(sheep, "sheep", "dolly");
    const reading = new Reading(world.watcher(), sheep);
    await reading.shows({ dolly: "1" });
    const { apiVersion, kind } = reading.events[0]?.object ?? {};
    expect({ apiVersion, kind }).toEqual({ apiVersion: `${sheep.group}/v1`, kind: "Sheep" });
  });

  it("follows a kind that is removed and comes back as another resource", async () => {
    const gadget = uniqueKind("Gadget");
    await world.install(gadget, { plural: "gadgets" });
    await world.add(gadget, "gadgets", "old");
    const reading = new Reading(world.watcher(), gadget);
    await reading.shows({ old: "1" });
    await world.uninstall(`gadgets.${gadget.group}`);
    await reading.says("KUBE_NOT_FOUND");
    await world.install(gadget, { plural: "gizmos" });
    await world.add(gadget, "gizmos", "new");
    await reading.shows({ new: "1" });
    await reading.says(undefined);
  });
});
