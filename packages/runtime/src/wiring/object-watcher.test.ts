import type { NotificationSource, ObjectWatcher } from "@muster/core";
import { describe, expect, it } from "vitest";
import {
  nodes,
  notificationExtractor,
  notificationSource,
  objectWatcher,
  pods,
} from "../../test/support/plugins.ts";
import { resolveWiring } from "./resolve-wiring.ts";
import type { WiringInput } from "./wiring.ts";

/** A source of a kind that brings a watcher. */
function bringing(gvk: NotificationSource["gvk"], defaultWatcher: ObjectWatcher) {
  const source = { ...notificationSource(`source/${gvk.kind}`, gvk), defaultWatcher };
  return { source, extractors: [notificationExtractor(`x-${gvk.kind}`, gvk)] };
}

function resolve(input: WiringInput) {
  const { wiring, problems } = resolveWiring(input);
  return {
    watcher: wiring.objectWatcher?.typedName.name,
    plugins: wiring.plugins.map(({ typedName }) => typedName.name),
    warnings: wiring.warnings,
    problems: problems.map(({ code, message }) => `${code}: ${message}`),
  };
}

describe("the object watcher", () => {
  it("is the one that the first source brings, for all of them, when none is configured", () => {
    const sources = [
      { source: notificationSource("plain", { ...pods, kind: "Plain" }) },
      bringing(pods, objectWatcher("watcher/first")),
      bringing(nodes, objectWatcher("watcher/second")),
    ];
    expect(resolve({ sources })).toMatchObject({
      ...{ watcher: "first", plugins: ["first"], problems: [] },
    });
  });

  it("is the configured one when there is one; of several the first, with a warning", () => {
    const sources = [bringing(pods, objectWatcher("watcher/brought"))];
    const plugins = [objectWatcher("watcher/mine"), objectWatcher("watcher/other")];
    expect(resolve({ sources, plugins })).toEqual({
      ...{ watcher: "mine", plugins: ["mine", "other"], problems: [] },
      warnings: ["object watcher watcher/other is not used: watcher/mine watches for all"],
    });
  });

  it("is refused when it cannot watch", () => {
    const broken = { ...objectWatcher("watcher/broken"), watch: undefined };
    const sources = [bringing(pods, broken as unknown as ObjectWatcher)];
    expect(resolve({ sources }).problems).toEqual([
      "PLUGIN_INVALID: default object watcher watcher/broken has no watch()",
    ]);
  });
});
