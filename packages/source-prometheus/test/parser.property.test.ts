import { isMusterError } from "@muster/core";
import type { MetricFamily, PrometheusPage } from "@muster/core/prometheus";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPageParser, parsePage } from "../src/index.ts";
import { families, render, styles } from "./support/render.ts";

const contentType = (openmetrics: boolean): string =>
  openmetrics ? "application/openmetrics-text" : "text/plain";

/** Families as plain data, labels with every key an own one. */
const plain = (list: Iterable<MetricFamily | undefined>): unknown =>
  Array.from(list, (family) =>
    family === undefined
      ? null
      : {
          ...family,
          samples: family.samples.map((s) => ({ ...s, labels: Object.entries(s.labels).sort() })),
        },
  );

describe("any families, written in any style", () => {
  it("are read back", () => {
    fc.assert(
      fc.property(families, styles, (list, style) => {
        const page = parsePage(render(list, style), {
          contentType: contentType(style.openmetrics),
        });
        expect(page.skipped).toBe(0);
        expect(plain(page.families())).toEqual(plain(list));
      }),
      { numRuns: 400 },
    );
  });

  it("are read alike by a parser that remembers other pages", () => {
    const pages = fc.array(fc.tuple(families, styles), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(pages, fc.infiniteStream(fc.boolean()), (sequence, coin) => {
        const names = [...new Set(sequence.flatMap(([list]) => list.map((family) => family.name)))];
        const wanted = names.filter(() => coin.next().value);
        const parser = createPageParser({ families: wanted });
        for (const [list, style] of [...sequence, ...sequence]) {
          const bytes = render(list, style);
          const answer = { contentType: contentType(style.openmetrics) };
          const fresh = parsePage(bytes, { ...answer, families: wanted });
          expect(plain(parser.parse(bytes, answer).families())).toEqual(plain(fresh.families()));
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Pages of lines that are confusing on purpose: few names, all suffixes, metadata anywhere, rubbish. */
const names = [
  "a",
  "a_total",
  "a_info",
  "a_count",
  "a_sum_total",
  "a_info_total",
  "ab",
  "a_created",
];
const name = fc.constantFrom(...names, "b", "a_bucket", "a_total_created", "a_info_info");
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, fc.nat(9)).map(([n, v]) => `${n} ${v}`) },
  { weight: 2, arbitrary: name.map((n) => `{"${n}",l="x"} 1`) },
  { weight: 1, arbitrary: name.map((n) => `\t${n}{l="y",}  2 3\r`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.oneof(fc.constant("a"), name),
        fc.constantFrom("counter", "gauge", "histogram", "summary", "info", "bogus"),
      )
      .map(([n, type]) => `# TYPE ${n} ${type}`),
  },
  { weight: 1, arbitrary: name.map((n) => `# HELP "${n}" help of ${n}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom("{", "~ 1", "", " x", "{l=}")).map((p) => p.join("")),
  },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom("a", "_", "{", '"', " ", "#", "1"),
      maxLength: 6,
    }),
  },
);
const soup = fc.array(line, { maxLength: 14 }).map((lines) => lines.join("\n"));

describe("reading only some families", () => {
  it("gives what reading all of them gives, restricted", () => {
    fc.assert(
      fc.property(soup, fc.subarray([...names, "b"]), (text, wanted) => {
        const bytes = new TextEncoder().encode(`x 0\n${text}`);
        const full = parsePage(bytes);
        const some = parsePage(bytes, { families: wanted });
        const found = new Set(wanted.map((n) => full.family(n)));
        expect(plain(wanted.map((n) => some.family(n)))).toEqual(
          plain(wanted.map((n) => full.family(n))),
        );
        expect(plain(some.families())).toEqual(
          plain([...full.families()].filter((family) => found.has(family))),
        );
        expect(some.skipped).toBeLessThanOrEqual(full.skipped);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("any bytes", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .string({ unit: fc.constantFrom(...'ab_{}",=\\# \t\r\n10.eTYPEH'), maxLength: 120 })
      .map((text) => new TextEncoder().encode(text)),
  );

  it("give a page or a coded error", () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), fc.boolean(), (page, openmetrics, all) => {
        expect(
          outcome(page, {
            contentType: contentType(openmetrics),
            families: all ? ["*"] : ["a", "b"],
          }),
        ).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

function outcome(page: Uint8Array, options: { contentType: string; families: string[] }): boolean {
  let parsed: PrometheusPage;
  try {
    parsed = parsePage(page, options);
  } catch (error) {
    return isMusterError(error) && /^(SCRAPE|PARSE)_/.test(error.code);
  }
  return [...parsed.families()].every((family) => parsed.family(family.name) === family);
}
