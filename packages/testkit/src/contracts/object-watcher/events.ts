import { formatPlain } from "@muster/core";
import type { TestApi } from "../test-api.ts";
import { verify, verifyEqual } from "../verify.ts";
import type { ObjectWatcherBench } from "./bench.ts";

/** What a watch tells. */
export function describeEvents(it: TestApi["it"], bench: ObjectWatcherBench): void {
  const { group, version, kind } = bench.harness.gvk;
  const identity = { apiVersion: group === "" ? version : `${group}/${version}`, kind };

  it(
    "gives all that is there, then every change",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      // a name that is a property of every object
      await world.put("constructor", "1");
      const watching = watch();
      await watching.shows({ a: "1", constructor: "1" }, "what is there");
      await world.put("a", "2");
      await world.put("b", "1");
      await watching.shows({ a: "2", b: "1", constructor: "1" }, "changes");
      await world.remove("constructor");
      await watching.shows({ a: "2", b: "1" }, "a deletion");
    }),
  );

  it(
    "gives objects that say what they are, frozen through and through",
    bench.test(async (world, watch) => {
      const watching = watch();
      await world.put("a", "1");
      await watching.shows({ a: "1" }, "an object");
      await world.put("a", "2");
      await watching.shows({ a: "2" }, "a change");
      for (const { object } of watching.events) {
        const { apiVersion, kind: said, metadata } = object;
        verifyEqual({ apiVersion, kind: said }, identity, "apiVersion and kind");
        verify(metadata?.resourceVersion, "an object must have a resourceVersion");
        verify(isFrozen(object), `not frozen through and through: ${formatPlain(object)}`);
      }
    }),
  );

  it(
    "tells of a deletion at least kind, name and namespace",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      const watching = watch();
      await watching.shows({ a: "1" }, "what is there");
      const namespace = watching.newest("a")?.metadata?.namespace;
      await world.remove("a");
      await watching.shows({}, "a deletion");
      const last = watching.newest("a");
      verifyEqual(last?.kind, kind, "kind");
      verifyEqual(last?.metadata?.namespace, namespace, "namespace");
    }),
  );

  it(
    "tells that an object was replaced by another of its name",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      const watching = watch();
      await watching.shows({ a: "1" }, "what is there");
      const before = watching.newest("a")?.metadata?.uid;
      await world.remove("a");
      await world.put("a", "2");
      await watching.shows({ a: "2" }, "the other object");
      verify(before !== watching.newest("a")?.metadata?.uid, "the uid must be the new object's");
      const types = watching.events.map(({ type }) => type);
      verifyEqual(types, ["AddOrUpdate", "Delete", "AddOrUpdate"], "events");
    }),
  );

  it(
    "gives a later watch of the kind all that is there, and both the same objects",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      const [first, second] = [watch(), watch()];
      await first.shows({ a: "1" }, "the first watch");
      await second.shows({ a: "1" }, "the second watch");
      const later = watch();
      await later.shows({ a: "1" }, "a later watch");
      await world.put("a", "2");
      for (const watching of [first, second, later]) await watching.shows({ a: "2" }, "a change");
      verify(first.newest("a") === second.newest("a"), "the watches must share their objects");
      second.controller.abort();
      await second.log.ends("the second watch");
      await world.put("b", "1");
      await first.shows({ a: "2", b: "1" }, "a watch whose neighbour ended");
      verifyEqual(second.marks, { a: "2" }, "the watch that was aborted");
    }),
  );
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
