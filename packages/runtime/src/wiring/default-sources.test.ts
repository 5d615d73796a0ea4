import { describe, expect, it } from "vitest";
import {
  endpointExtractor,
  nodes,
  notificationExtractor,
  notificationSource,
  pods,
  pollingExtractor,
  pollingSource,
  sourceDefinition,
} from "../../test/support/plugins.ts";
import { resolveRegistrations, shownSources } from "../../test/support/wiring.ts";
import { createPluginRegistry } from "../registry/plugin-registry.ts";

describe("default sources as {type, config}", () => {
  const registry = createPluginRegistry([
    sourceDefinition("page-source", (name, config) =>
      pollingSource(name, config as { interval: number }),
    ),
    sourceDefinition("object-source", (name, config) =>
      notificationSource(name, config as typeof pods),
    ),
  ]);

  it("are made from the registry with their config, once for all who name the type", () => {
    const registrations = ["x", "y"].map((name) => ({
      ...{ sourceType: "page-source", extractor: pollingExtractor(name) },
      defaultSource: { type: "page-source", config: { interval: 250 } },
    }));
    const { wiring, problems } = resolveRegistrations(registrations, { registry });
    expect(problems).toEqual([]);
    expect(shownSources(wiring)).toEqual(["page-source <- x, y"]);
    expect(wiring.sources[0]).toMatchObject({ origin: "default", interval: 250 });
  });

  it("are one per watched kind, each with a name of its own", () => {
    const registrations = [pods, nodes, pods].map((gvk, index) => ({
      ...{ sourceType: "object-source", extractor: notificationExtractor(`x${index}`, gvk) },
      defaultSource: { type: "object-source", config: gvk },
    }));
    const { wiring, problems } = resolveRegistrations(registrations, { registry });
    expect(problems).toEqual([]);
    expect(shownSources(wiring)).toEqual(["object-source <- x0, x2", "object-source-2 <- x1"]);
  });

  it.each([
    [
      "k8s-notification-source",
      "it is provided by @muster/discovery-k8s; install that package and register its plugin",
    ],
    [
      "models-data-source",
      "llm-d has it, Muster does not provide it yet; remove it or register a plugin of that type",
    ],
  ])("of the type %s, not registered, are an error that says what to install", (type, what) => {
    const registration = {
      ...{ sourceType: type, defaultSource: { type } },
      extractor: endpointExtractor("x"),
    };
    expect(resolveRegistrations([registration, registration], { registry }).problems).toEqual([
      `PLUGIN_UNKNOWN: the default source "${type}" that owner/1 needs for x/x cannot be made: no plugin of type "${type}": ${what}`,
    ]);
  });

  it("of an unknown type are an error that suggests the nearest one", () => {
    const registration = {
      ...{ sourceType: "page-sorce", defaultSource: { type: "page-sorce" } },
      extractor: pollingExtractor("x"),
    };
    expect(resolveRegistrations([registration], { registry }).problems).toEqual([
      'PLUGIN_UNKNOWN: the default source "page-sorce" that owner/1 needs for x/x cannot be made: no plugin of type "page-sorce" (did you mean "page-source"?); known: object-source, page-source',
    ]);
  });

  it("that cannot be made are an error with the reason", () => {
    const failing = createPluginRegistry([
      sourceDefinition("page-source", () => {
        throw new Error("no such luck");
      }),
    ]);
    const registration = {
      ...{ sourceType: "page-source", defaultSource: { type: "page-source" } },
      extractor: pollingExtractor("x"),
    };
    expect(resolveRegistrations([registration], { registry: failing }).problems).toEqual([
      'PLUGIN_CREATE: the default source "page-source" that owner/1 needs for x/x cannot be made: no such luck',
    ]);
  });
});
