import type { DataSource } from "@muster/core";
import { describe, expect, it } from "vitest";
import {
  discovery,
  endpointExtractor,
  endpointSource,
  nodes,
  notificationExtractor,
  notificationSource,
  objectWatcher,
  page,
  pods,
  pollingExtractor,
  pollingSource,
  sourceDefinition,
} from "../../test/support/plugins.ts";
import { resolveWiring } from "./resolve-wiring.ts";
import type { WiringInput } from "./wiring.ts";

function problemsOf(input: WiringInput): string[] {
  const plugins = [objectWatcher()];
  const { problems } = resolveWiring({ plugins, ...input });
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

describe("configured sources", () => {
  it("section 4: no sources and no registrations is an error", () => {
    expect(problemsOf({})).toEqual([
      "RUNTIME_EMPTY: no sources are configured and no plugin registers any: add a source and its extractors",
    ]);
  });

  it("section 4: keeps the order of sources and of extractors", () => {
    const [first, second] = [pollingSource("b"), pollingSource("a")];
    const extractors = [pollingExtractor("z"), pollingExtractor("y")];
    const { wiring, problems } = resolveWiring({
      sources: [{ source: first, extractors }, { source: second }],
    });
    expect(problems).toEqual([]);
    expect(wiring.sources.map(({ source }) => source)).toEqual([first, second]);
    expect(wiring.sources[0]?.extractors.map(({ extractor }) => extractor)).toEqual(extractors);
    expect(wiring.sources[0]?.extractors[0]).toMatchObject({
      origin: "configured",
      owner: { type: "z" },
    });
  });

  it("section 4: rejects two extractors of the same type on one source", () => {
    const extractors = [pollingExtractor("lora/a"), pollingExtractor("lora/b")];
    expect(problemsOf({ sources: [{ source: pollingSource(), extractors }] })).toEqual([
      'EXTRACTOR_DUPLICATE: source page-source/page-source has two extractors of type "lora": lora/a and lora/b; keep one',
    ]);
  });

  it("section 4: rejects an extractor given twice", () => {
    const lora = pollingExtractor("lora");
    const sources = [{ source: pollingSource(), extractors: [lora, lora] }];
    expect(problemsOf({ sources })).toHaveLength(1);
  });

  it("section 4: counts extractors that were appended by hand, once", () => {
    const source = pollingSource();
    const lora = pollingExtractor("lora");
    source.appendExtractor(lora);
    expect(problemsOf({ sources: [{ source, extractors: [lora] }] })).toEqual([]);
    const other = pollingExtractor("lora/other");
    expect(problemsOf({ sources: [{ source, extractors: [other] }] })).toEqual([
      expect.stringContaining("EXTRACTOR_DUPLICATE"),
    ]);
  });

  it("section 4: the extractor of a notification source must be one of the same group, version and kind", () => {
    const extractors = [
      notificationExtractor("right", pods),
      notificationExtractor("kind", nodes),
      notificationExtractor("version", { ...pods, version: "v2" }),
      notificationExtractor("group", { ...pods, group: "apps" }),
      endpointExtractor("endpoint"),
    ];
    expect(problemsOf({ sources: [{ source: notificationSource(), extractors }] })).toEqual([
      "EXTRACTOR_INCOMPATIBLE: extractor kind/kind takes changes of v1, Kind=Node, source object-source/object-source gives changes of v1, Kind=Pod",
      "EXTRACTOR_INCOMPATIBLE: extractor version/version takes changes of v2, Kind=Pod, source object-source/object-source gives changes of v1, Kind=Pod",
      "EXTRACTOR_INCOMPATIBLE: extractor group/group takes changes of apps/v1, Kind=Pod, source object-source/object-source gives changes of v1, Kind=Pod",
      "EXTRACTOR_INCOMPATIBLE: extractor endpoint/endpoint takes endpoint events, source object-source/object-source gives changes of v1, Kind=Pod",
    ]);
  });

  it("section 4: the extractor of an endpoint source must be an endpoint extractor", () => {
    const extractors = [endpointExtractor("right"), pollingExtractor("wrong")];
    expect(problemsOf({ sources: [{ source: endpointSource(), extractors }] })).toEqual([
      'EXTRACTOR_INCOMPATIBLE: extractor wrong/wrong takes the payload "page", source endpoint-source/endpoint-source gives endpoint events',
    ]);
  });

  it("section 3: the extractor of a polling source must take its payload", () => {
    const extractors = [pollingExtractor("right"), pollingExtractor("wrong", "acme/power")];
    expect(problemsOf({ sources: [{ source: pollingSource(), extractors }] })).toEqual([
      'EXTRACTOR_INCOMPATIBLE: extractor wrong/wrong takes the payload "acme/power", source page-source/page-source gives the payload "page"',
    ]);
  });

  it("section 4: rejects a second notification source for the same kind", () => {
    const sources = [
      { source: notificationSource("a", pods) },
      { source: notificationSource("b", pods) },
      { source: notificationSource("a/nodes", nodes) },
    ];
    expect(problemsOf({ sources })).toEqual([
      "SOURCE_COLLISION: two notification sources for v1, Kind=Pod: a/a and b/b; keep one",
    ]);
  });

  it("section 4: one source type in two variants is a collision that names both", () => {
    const sources = [
      { source: pollingSource("mixed/one") },
      { source: endpointSource("mixed/two") },
    ];
    expect(problemsOf({ sources })).toEqual([
      'SOURCE_COLLISION: source type "mixed" comes in two variants, polling and endpoint: mixed/one and mixed/two',
    ]);
  });

  it("section 3: rejects a source of no known variant", () => {
    const source = { ...pollingSource("odd"), variant: "telepathy" } as unknown as DataSource;
    expect(problemsOf({ sources: [{ source }] })).toEqual([
      'SOURCE_VARIANT: source odd/odd has the unknown variant "telepathy": use polling, notification, endpoint',
    ]);
  });

  it("section 3: rejects a source that claims more than one variant", () => {
    const source = { ...endpointSource("both"), notify: () => undefined };
    expect(problemsOf({ sources: [{ source }] })).toEqual([
      "SOURCE_VARIANT: source both/both claims several variants: notification and endpoint",
    ]);
  });

  it("rejects a source that lacks what belongs to its variant", () => {
    const broken = [
      { typedName: { type: "a", name: "a" }, variant: "polling", payload: page },
      { ...notificationSource("b"), gvk: undefined },
      { ...endpointSource("c"), notifyEndpoint: undefined },
      Object.defineProperty(pollingSource("d"), "extractors", { value: undefined }),
    ];
    const sources = broken.map((source) => ({ source: source as unknown as DataSource }));
    expect(problemsOf({ sources })).toEqual([
      "SOURCE_VARIANT: source a/a has the variant polling and no dispatch() and appendExtractor()",
      "SOURCE_VARIANT: source b/b is a notification source without a group, version and kind",
      "SOURCE_VARIANT: source c/c has the variant endpoint and no notifyEndpoint()",
      "SOURCE_VARIANT: source d/d is a polling source without a list of extractors",
    ]);
  });

  it("rejects two sources of one name", () => {
    const sources = [{ source: pollingSource() }, { source: pollingSource() }];
    expect(problemsOf({ sources })).toEqual([
      "PLUGIN_DUPLICATE: two sources are called page-source/page-source; give one another name",
    ]);
  });

  it("reports the problems of all sources and extractors at once", () => {
    const sources = [
      { source: pollingSource("a"), extractors: [endpointExtractor("x")] },
      { source: endpointSource("b"), extractors: [pollingExtractor("y"), pollingExtractor("z")] },
      { source: endpointSource("b") },
    ];
    expect(resolveWiring({ sources }).problems.map(({ code }) => code)).toEqual([
      "EXTRACTOR_INCOMPATIBLE",
      "EXTRACTOR_INCOMPATIBLE",
      "EXTRACTOR_INCOMPATIBLE",
      "PLUGIN_DUPLICATE",
    ]);
  });

  it("needs an object watcher for notification sources", () => {
    const sources = [{ source: notificationSource(), extractors: [notificationExtractor("x")] }];
    expect(problemsOf({ sources })).toEqual([]);
    expect(problemsOf({ sources, plugins: [] })).toEqual([
      "SOURCE_MISSING: source object-source/object-source gets its events from an object watcher, and none is configured; add one, such as the one of @muster/discovery-k8s",
    ]);
  });

  it("rejects what is no plugin, a definition in place of an instance, and names used twice", () => {
    const definition = sourceDefinition("acme-source", () => endpointSource());
    const given: unknown[] = [definition, undefined, { typedName: { type: "x" } }, discovery("d")];
    expect(
      problemsOf({
        discovery: [...given, discovery("d"), objectWatcher("w")] as WiringInput["discovery"],
        sources: [{ source: endpointSource(), extractors: [endpointExtractor("x")] }],
      }),
    ).toEqual([
      'PLUGIN_INVALID: discovery "acme-source" is a definition: pass what its create() returns',
      "PLUGIN_INVALID: discovery without a typedName {type, name}",
      "PLUGIN_INVALID: discovery without a typedName {type, name}",
      "PLUGIN_DUPLICATE: two discovery plugins are called d/d; give one another name",
      "PLUGIN_INVALID: discovery w/w has no start() and ready()",
    ]);
  });
});
