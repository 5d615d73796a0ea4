import type { AnyExtractor, DataSource, Plugin } from "@muster/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  endpointExtractor,
  endpointSource,
  nodes,
  notificationExtractor,
  notificationSource,
  objectWatcher,
  pods,
  pollingExtractor,
  pollingSource,
  registrant,
} from "../../test/support/plugins.ts";
import { resolveWiring } from "./resolve-wiring.ts";

const variant = fc.constantFrom("page", "power", "pod", "node", "endpoint");
const sourceSpec = fc.record({ variant, type: fc.constantFrom("s", "t", "u"), name: fc.nat(2) });
const extractorSpec = fc.record({ variant, type: fc.constantFrom("x", "y", "z"), name: fc.nat(2) });
const fleet = fc.record({
  sources: fc.array(
    fc.record({ source: sourceSpec, extractors: fc.array(extractorSpec, { maxLength: 3 }) }),
    { maxLength: 4 },
  ),
  registrations: fc.array(
    fc.record({
      ...{ sourceType: fc.constantFrom("s", "t", "u"), extractor: extractorSpec },
      defaultSource: fc.option(variant, { nil: undefined }),
      ifMissing: fc.constantFrom("fail", "warn", undefined),
    }),
    { maxLength: 6 },
  ),
});

type Spec = { variant: string; type: string; name: number };
type Fleet = typeof fleet extends fc.Arbitrary<infer T> ? T : never;

function source({ variant: kind, type, name }: Spec): DataSource {
  const full = `${type}/${name}`;
  if (kind === "endpoint") return endpointSource(full);
  if (kind === "pod" || kind === "node") return notificationSource(full, gvkOf(kind));
  return pollingSource(full, { payload: kind });
}

function extractor({ variant: kind, type, name }: Spec): AnyExtractor {
  const full = `${type}/${name}`;
  if (kind === "endpoint") return endpointExtractor(full);
  if (kind === "pod" || kind === "node") return notificationExtractor(full, gvkOf(kind));
  return pollingExtractor(full, kind);
}

const gvkOf = (kind: string) => (kind === "pod" ? pods : nodes);

function resolve(spec: Fleet) {
  const owners = spec.registrations.map(({ sourceType, defaultSource, ...rest }, index): Plugin => {
    const made = defaultSource && source({ variant: defaultSource, type: sourceType, name: 9 });
    return registrant(`owner/${index}`, {
      ...{ sourceType, extractor: extractor(rest.extractor) },
      ...(made && { defaultSource: made }),
      ...(rest.ifMissing && { ifMissing: rest.ifMissing }),
    });
  });
  return resolveWiring({
    plugins: [objectWatcher(), ...owners],
    sources: spec.sources.map((binding) => ({
      source: source(binding.source),
      extractors: binding.extractors.map(extractor),
    })),
  });
}

const shown = (value: unknown): string => JSON.stringify(value);

describe("resolveWiring, of random sources and registrations", () => {
  it("gives the same result for the same input", () => {
    fc.assert(
      fc.property(fleet, (spec) => {
        const [first, second] = [resolve(spec), resolve(spec)];
        expect(shown(first.wiring)).toBe(shown(second.wiring));
        expect(shown(first.problems)).toBe(shown(second.problems));
      }),
    );
  });

  it("never puts two extractors of one type on a source, nor one that does not fit", () => {
    fc.assert(
      fc.property(fleet, (spec) => {
        for (const { source: of, extractors } of resolve(spec).wiring.sources) {
          const types = extractors.map((bound) => bound.extractor.typedName.type);
          expect(new Set(types).size).toBe(types.length);
          for (const bound of extractors) expect(bound.extractor.variant).toBe(of.variant);
        }
      }),
    );
  });

  it("keeps sources apart: by name, one variant per type, one source per watched kind", () => {
    fc.assert(
      fc.property(fleet, (spec) => {
        const sources = resolve(spec).wiring.sources.map((wired) => wired.source);
        expect(new Set(sources.map((s) => shown(s.typedName))).size).toBe(sources.length);
        const variants = new Set(sources.map((s) => `${s.typedName.type} ${s.variant}`));
        expect(variants.size).toBe(new Set(sources.map((s) => s.typedName.type)).size);
        const watched = sources.flatMap((s) => (s.variant === "notification" ? [s.gvk] : []));
        expect(new Set(watched).size).toBe(watched.length);
      }),
    );
  });

  it("reports every problem once, and accounts for every registration", () => {
    fc.assert(
      fc.property(fleet, (spec) => {
        const { wiring, problems } = resolve(spec);
        const failed = wiring.registrations.filter(({ outcome }) => outcome === "failed");
        expect(wiring.registrations).toHaveLength(spec.registrations.length);
        if (failed.length > 0) expect(problems.length).toBeGreaterThan(0);
        const ofRegistrations = problems.filter(({ plugin }) => plugin?.type === "owner");
        const blamed = ofRegistrations.map(({ plugin }) => shown(plugin));
        expect(new Set(blamed).size).toBe(blamed.length);
        for (const { owner, outcome } of wiring.registrations)
          if (outcome !== "failed") expect(blamed).not.toContain(shown(owner));
      }),
    );
  });

  it("binds nothing while it resolves", () => {
    fc.assert(
      fc.property(fleet, (spec) => {
        for (const { source: of } of resolve(spec).wiring.sources)
          if (of.variant === "polling") expect(of.extractors).toEqual([]);
      }),
    );
  });
});
