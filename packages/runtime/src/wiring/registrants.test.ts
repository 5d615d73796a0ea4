import type { PendingRegistration, Registrar } from "@muster/core";
import { describe, expect, it } from "vitest";
import {
  attributeExtractor,
  discovery,
  endpointExtractor,
  endpointSource,
  pollingExtractor,
  pollingSource,
  registrant,
} from "../../test/support/plugins.ts";
import { applyWiring } from "./apply-wiring.ts";
import { resolveWiring } from "./resolve-wiring.ts";

const wants = (name: string, more: Partial<PendingRegistration> = {}) => ({
  ...{ sourceType: "endpoint-source", defaultSource: endpointSource() },
  extractor: endpointExtractor(name),
  ...more,
});

describe("registrants", () => {
  it("section 4: a registration without an extractor is an error that names the owner", () => {
    const plugins = [registrant("owner", wants("x", { extractor: undefined as never }))];
    const { problems } = resolveWiring({ plugins });
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'REGISTRATION_INVALID: owner/owner registers a dependency on "endpoint-source" without an extractor',
    ]);
  });

  it.each([
    [{ sourceType: "" }, "registers a dependency without a sourceType"],
    [
      { ifMissing: "panic" as never },
      'registers ifMissing "panic" for "endpoint-source": use fail or warn',
    ],
    [
      { extractor: { typedName: { type: "x", name: "x" } } as never },
      "registers an extractor x/x has no extract()",
    ],
    [
      { defaultSource: pollingSource() },
      'registers a default source of type "page-source" for "endpoint-source"',
    ],
    [
      { defaultSource: "endpoint-source" as never },
      'registers a default source for "endpoint-source" that is neither a source nor {type, config}',
    ],
  ])("section 4: records the invalid registration %j", (more, text) => {
    const { problems } = resolveWiring({ plugins: [registrant("owner", wants("x", more))] });
    expect(problems.map(({ message }) => message)).toEqual([`owner/owner ${text}`]);
  });

  it("section 4: register never throws, so that all problems are reported at once", () => {
    const bad = wants("x", { extractor: undefined as never });
    const plugins = [registrant("a", bad, wants("good"), bad), registrant("b", bad)];
    const { problems, wiring } = resolveWiring({ plugins });
    expect(problems.map(({ plugin }) => plugin?.type)).toEqual(["a", "a", "b"]);
    expect(wiring.registrations.map(({ outcome }) => outcome)).toEqual(["bound"]);
  });

  it("a registrant that throws is a problem, and what it registered before still counts", () => {
    const broken = {
      typedName: { type: "broken", name: "broken" },
      registerDependencies(registrar: Registrar): void {
        registrar.register({ owner: this.typedName, ...wants("x") });
        throw new Error("out of cheese");
      },
    };
    const { problems, wiring } = resolveWiring({ plugins: [broken] });
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "REGISTRATION_INVALID: broken/broken failed to register its dependencies: out of cheese",
    ]);
    expect(wiring.registrations).toHaveLength(1);
  });

  it("section 4: plugins of any kind are asked, each once, in order", () => {
    const asked: string[] = [];
    const asks = <P extends { typedName: { name: string } }>(plugin: P): P =>
      Object.assign(plugin, {
        registerDependencies: () => {
          asked.push(plugin.typedName.name);
        },
      });
    const both = asks(pollingExtractor("extractor"));
    resolveWiring({
      plugins: [asks(registrant("generic")), asks(discovery("discovery-as-plugin"))],
      discovery: [asks(discovery("discovery"))],
      sources: [
        { source: asks(pollingSource("source/a")), extractors: [both] },
        { source: asks(pollingSource("source/b")), extractors: [both] },
      ],
    });
    expect(asked).toEqual(["discovery", "a", "extractor", "b", "generic", "discovery-as-plugin"]);
  });

  it("section 4: what comes in by registration is asked too", () => {
    const extractor = Object.assign(
      endpointExtractor("first"),
      registrant("first", wants("second")),
    );
    const source = Object.assign(
      endpointSource(),
      registrant("endpoint-source", wants("third", { sourceType: "endpoint-source" })),
    );
    const plugins = [registrant("owner", wants("first", { extractor, defaultSource: source }))];
    const { wiring, problems } = resolveWiring({ plugins });
    expect(problems).toEqual([]);
    expect(wiring.registrations.map(({ extractor: { name } }) => name)).toEqual([
      "first",
      "third",
      "second",
    ]);
  });

  it("a registrant that never ends is stopped", () => {
    const endless = (n: number): ReturnType<typeof endpointExtractor> =>
      Object.assign(endpointExtractor(`x${n}`), {
        registerDependencies(registrar: Registrar): void {
          registrar.register({
            ...{ owner: { type: "endless", name: "endless" }, sourceType: "endpoint-source" },
            extractor: endless(n + 1),
          });
        },
      });
    const sources = [{ source: endpointSource(), extractors: [endless(0)] }];
    const { problems } = resolveWiring({ sources });
    expect(problems.map(({ message }) => message)).toEqual([
      "x10000/x10000 makes more than 10000 registrations",
    ]);
  });
});

describe("applyWiring", () => {
  it("section 4: resolving binds nothing; applying binds everything once, in order", () => {
    const source = pollingSource();
    const extractors = [pollingExtractor("a"), pollingExtractor("b")];
    source.appendExtractor(extractors[0] as ReturnType<typeof pollingExtractor>);
    const registered = pollingExtractor("c");
    const plugins = [registrant("owner", { sourceType: "page-source", extractor: registered })];
    const { wiring, problems } = resolveWiring({ sources: [{ source, extractors }], plugins });
    expect(problems).toEqual([]);
    expect(source.extractors).toHaveLength(1);
    expect(applyWiring(wiring)).toEqual([]);
    expect(source.extractors).toEqual([...extractors, registered]);
    expect(applyWiring(wiring)).toEqual([]);
    expect(source.extractors).toHaveLength(3);
  });

  it("gives what a source refuses", () => {
    const source = pollingSource();
    Object.defineProperty(source, "appendExtractor", {
      value: () => {
        throw new Error("too many");
      },
    });
    const { wiring } = resolveWiring({
      sources: [{ source, extractors: [pollingExtractor("a"), pollingExtractor("b")] }],
    });
    expect(applyWiring(wiring).map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "EXTRACTOR_INCOMPATIBLE: too many",
      "EXTRACTOR_INCOMPATIBLE: too many",
    ]);
  });
});

describe("attribute needs", () => {
  const check = (...extractors: ReturnType<typeof attributeExtractor>[]): string[] =>
    resolveWiring({ sources: [{ source: pollingSource(), extractors }] }).problems.map(
      ({ code, message }) => `${code}: ${message}`,
    );

  it("section 2: a required attribute without a producer is a start-up error", () => {
    expect(
      check(
        attributeExtractor("reader", { requires: ["queue", "lora"], wants: ["power"] }),
        attributeExtractor("writer", { produces: ["queue"] }),
        attributeExtractor("downstream", { requires: ["queue"], produces: ["score"] }),
      ),
    ).toEqual([
      'PLUGIN_ATTRIBUTES: reader/reader requires the attribute "lora", which no plugin produces; add one that declares it in `produces`',
    ]);
  });

  it("section 2: a cycle of requirements is a start-up error, reported once", () => {
    expect(
      check(
        attributeExtractor("a", { requires: ["c"], produces: ["a"] }),
        attributeExtractor("b", { requires: ["a"], produces: ["b"] }),
        attributeExtractor("c", { requires: ["b"], produces: ["c"] }),
        attributeExtractor("downstream", { requires: ["a"] }),
      ),
    ).toEqual([
      "PLUGIN_ATTRIBUTES: plugins require each other's attributes: a/a needs c/c needs b/b needs a/a; make one of the needs optional",
    ]);
  });

  it("section 2: a plugin that requires what only it produces is a cycle", () => {
    expect(check(attributeExtractor("a", { requires: ["a"], produces: ["a"] }))).toHaveLength(1);
  });

  it("section 2: optional needs and a second producer break a cycle", () => {
    expect(
      check(
        attributeExtractor("a", { wants: ["b"], produces: ["a"] }),
        attributeExtractor("b", { requires: ["a"], produces: ["b"] }),
        attributeExtractor("self", { requires: ["a"], produces: ["a"] }),
      ),
    ).toEqual([]);
  });

  it("reports several cycles, and a producer that another problem kept out is not missing", () => {
    const source = pollingSource();
    const misfit = Object.assign(attributeExtractor("p", { produces: ["x"] }), {
      payload: { name: "other" },
    });
    const extractors = [
      misfit,
      attributeExtractor("reader", { requires: ["x"] }),
      ...["k", "l"].map((key) => attributeExtractor(key, { requires: [key], produces: [key] })),
    ];
    const { problems } = resolveWiring({ sources: [{ source, extractors }] });
    expect(problems.map(({ code }) => code)).toEqual([
      "EXTRACTOR_INCOMPATIBLE",
      "PLUGIN_ATTRIBUTES",
      "PLUGIN_ATTRIBUTES",
    ]);
  });
});
