import { describe, expect, it } from "vitest";
import {
  endpointExtractor,
  endpointSource,
  nodes,
  notificationExtractor,
  notificationSource,
  pods,
  pollingExtractor,
  pollingSource,
} from "../../test/support/plugins.ts";
import { resolveRegistrations, shownSources } from "../../test/support/wiring.ts";

describe("registrations", () => {
  it("section 4: found: the extractor is appended after the configured ones, in the order of registration", () => {
    const registrations = ["first", "second"].map((name) => ({
      sourceType: "page-source",
      extractor: pollingExtractor(name),
    }));
    const sources = [{ source: pollingSource(), extractors: [pollingExtractor("own")] }];
    const { wiring, problems } = resolveRegistrations(registrations, { sources });
    expect(problems).toEqual([]);
    expect(shownSources(wiring)).toEqual(["page-source <- own, first, second"]);
    expect(wiring.sources[0]?.extractors[2]).toMatchObject({
      origin: "registered",
      owner: { type: "owner", name: "2" },
    });
  });

  it("section 4: found: an extractor that does not fit is an error that names the owner", () => {
    const registration = { sourceType: "page-source", extractor: endpointExtractor("wrong") };
    const { problems, outcomes, wiring } = resolveRegistrations([registration], {
      sources: [{ source: pollingSource() }],
    });
    expect(problems).toEqual([
      'EXTRACTOR_INCOMPATIBLE: extractor wrong/wrong takes endpoint events, source page-source/page-source gives the payload "page" (registered by owner/1)',
    ]);
    expect(outcomes).toEqual(["failed"]);
    expect(shownSources(wiring)).toEqual(["page-source <- "]);
  });

  it("section 4: not found: the default source is added", () => {
    const source = endpointSource("endpoint-source/mine");
    const registration = {
      ...{ sourceType: "endpoint-source", defaultSource: source },
      extractor: endpointExtractor("x"),
    };
    const { wiring, problems } = resolveRegistrations([registration]);
    expect(problems).toEqual([]);
    expect(wiring.sources).toHaveLength(1);
    expect(wiring.sources[0]).toMatchObject({
      origin: "default",
      owner: { type: "owner", name: "1" },
    });
    expect(wiring.sources[0]?.source).toBe(source);
    expect(shownSources(wiring)).toEqual(["mine <- x"]);
  });

  it("section 4: found: the default source is not used", () => {
    const registration = {
      ...{ sourceType: "endpoint-source", defaultSource: endpointSource("endpoint-source/mine") },
      extractor: endpointExtractor("x"),
    };
    const sources = [{ source: endpointSource("endpoint-source/configured") }];
    expect(shownSources(resolveRegistrations([registration], { sources }).wiring)).toEqual([
      "configured <- x",
    ]);
  });

  it("section 4: several registrations share the default source that the first created", () => {
    const registrations = ["x", "y"].map((name) => ({
      sourceType: "endpoint-source",
      extractor: endpointExtractor(name),
      defaultSource: endpointSource(`endpoint-source/of-${name}`),
    }));
    const { wiring, problems } = resolveRegistrations(registrations);
    expect(problems).toEqual([]);
    expect(shownSources(wiring)).toEqual(["of-x <- x, y"]);
  });

  it("section 4: not found, no default source: fail is an error, and the default", () => {
    const registration = { sourceType: "absent-source", extractor: endpointExtractor("x") };
    const { problems, outcomes } = resolveRegistrations([
      registration,
      { ...registration, ifMissing: "fail" },
    ]);
    expect(problems).toEqual([
      'SOURCE_MISSING: extractor x/x of owner/1 requires source type "absent-source", which is not configured; add a source of that type',
      'SOURCE_MISSING: extractor x/x of owner/2 requires source type "absent-source", which is not configured; add a source of that type',
    ]);
    expect(outcomes).toEqual(["failed", "failed"]);
  });

  it("section 4: not found, no default source: warn skips and says so", () => {
    const { wiring, problems, outcomes } = resolveRegistrations([
      { sourceType: "absent-source", extractor: endpointExtractor("x"), ifMissing: "warn" },
    ]);
    expect(problems).toEqual([]);
    expect(outcomes).toEqual(["skipped"]);
    expect(wiring.warnings).toEqual([
      'extractor x/x of owner/1 requires source type "absent-source", which is not configured; it is skipped',
    ]);
  });

  it("section 4: yields silently to an extractor of the same type that the user bound", () => {
    const own = pollingExtractor("lora/mine");
    const registration = { sourceType: "page-source", extractor: pollingExtractor("lora/other") };
    const { wiring, problems, outcomes } = resolveRegistrations([registration], {
      sources: [{ source: pollingSource(), extractors: [own] }],
    });
    expect(problems).toEqual([]);
    expect(wiring.warnings).toEqual([]);
    expect(outcomes).toEqual(["yielded"]);
    expect(shownSources(wiring)).toEqual(["page-source <- mine"]);
  });

  it("section 4: of two registered extractors of one type the first stays, and that is said", () => {
    const registrations = ["lora/a", "lora/b"].map((name) => ({
      ...{ sourceType: "page-source", extractor: pollingExtractor(name) },
      defaultSource: pollingSource(),
    }));
    const { wiring, outcomes } = resolveRegistrations(registrations);
    expect(outcomes).toEqual(["bound", "yielded"]);
    expect(shownSources(wiring)).toEqual(["page-source <- a"]);
    expect(wiring.warnings).toEqual([
      "extractor lora/b of owner/2 is not used: owner/1 registered one of the same type before",
    ]);
  });

  it("section 4: the group, version and kind of a notification default source narrow the match", () => {
    const registrations = [pods, nodes].map((gvk) => ({
      sourceType: "object-source",
      extractor: notificationExtractor(`of-${gvk.kind}`, gvk),
      defaultSource: notificationSource(`object-source/${gvk.kind}`, gvk),
    }));
    const sources = [{ source: notificationSource("object-source/configured", pods) }];
    const { wiring, problems } = resolveRegistrations(registrations, { sources });
    expect(problems).toEqual([]);
    expect(shownSources(wiring)).toEqual(["configured <- of-Pod", "Node <- of-Node"]);
  });

  it("section 4: without a default source the kind of the extractor chooses among sources of the type", () => {
    const sources = [pods, nodes].map((gvk) => ({
      source: notificationSource(`object-source/${gvk.kind}`, gvk),
    }));
    const registration = {
      ...{ sourceType: "object-source", extractor: notificationExtractor("x", nodes) },
    };
    const { wiring } = resolveRegistrations([registration], { sources });
    expect(shownSources(wiring)).toEqual(["Pod <- ", "Node <- x"]);
  });

  it("section 4: a default source of another variant than its type has is a collision", () => {
    const registration = {
      ...{ sourceType: "page-source", extractor: endpointExtractor("x") },
      defaultSource: endpointSource("page-source/default"),
    };
    const { problems } = resolveRegistrations([registration], {
      sources: [{ source: pollingSource() }],
    });
    expect(problems).toEqual([
      'SOURCE_COLLISION: source type "page-source" comes in two variants, polling and endpoint: page-source/page-source and page-source/default',
    ]);
  });

  it("section 4: an extractor that does not fit its default source leaves no source behind", () => {
    const registration = {
      ...{ sourceType: "page-source", defaultSource: pollingSource() },
      extractor: pollingExtractor("x", "acme/power"),
    };
    const { wiring, problems } = resolveRegistrations([registration]);
    expect(problems).toEqual([
      'EXTRACTOR_INCOMPATIBLE: extractor x/x takes the payload "acme/power", source page-source/page-source gives the payload "page" (registered by owner/1)',
    ]);
    expect(wiring.sources).toEqual([]);
  });

  it("goes to the first of several polling sources of the type, and says so", () => {
    const sources = ["a", "b"].map((name) => ({ source: pollingSource(`page-source/${name}`) }));
    const registration = { sourceType: "page-source", extractor: pollingExtractor("x") };
    const { wiring } = resolveRegistrations([registration], { sources });
    expect(shownSources(wiring)).toEqual(["a <- x", "b <- "]);
    expect(wiring.warnings[0]).toBe(
      "extractor x/x of owner/1 goes to page-source/a, the first of 2 sources of its type",
    );
  });

  it("blames nobody for a source that was refused", () => {
    const registration = { sourceType: "object-source", extractor: notificationExtractor("x") };
    const { problems, outcomes } = resolveRegistrations([registration], {
      sources: [{ source: Object.assign(notificationSource(), endpointSource("object-source")) }],
    });
    expect(problems).toHaveLength(1);
    expect(outcomes).toEqual(["failed"]);
  });
});
