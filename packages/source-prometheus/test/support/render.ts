import type { MetricFamily, MetricType, Sample } from "@muster/core/prometheus";
import fc from "fast-check";

/** How a page is written: the liberties the formats leave to a server. */
export interface Style {
  readonly openmetrics: boolean;
  readonly newline: "\n" | "\r\n";
  readonly blank: string;
  readonly trailingComma: boolean;
  readonly quoteNames: boolean;
  readonly exemplars: boolean;
  readonly bom: boolean;
  readonly lastNewline: boolean;
  /** TYPE, HELP and UNIT after the samples. */
  readonly lateMetadata: boolean;
}

export const styles: fc.Arbitrary<Style> = fc.record({
  openmetrics: fc.boolean(),
  newline: fc.constantFrom("\n", "\r\n"),
  blank: fc.constantFrom(" ", "\t", "  \t "),
  trailingComma: fc.boolean(),
  quoteNames: fc.boolean(),
  exemplars: fc.boolean(),
  bom: fc.boolean(),
  lastNewline: fc.boolean(),
  lateMetadata: fc.boolean(),
});

const suffixes: Record<MetricType, readonly string[]> = {
  counter: ["_total", "_created"],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count", "_created"],
  gaugehistogram: ["_bucket", "_gsum", "_gcount"],
  summary: ["", "_sum", "_count", "_created"],
  info: ["_info"],
  stateset: [""],
  unknown: [""],
};

const labelName = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,6}$/),
  fc.constantFrom("__proto__", "constructor", "le", "toString"),
);
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "n", "\n", "{", "}", ",", "=", " ", "#"),
    maxLength: 8,
  }),
);
const labels = fc
  .dictionary(
    labelName,
    anyText.filter((text) => text !== ""),
    { maxKeys: 4 },
  )
  .map((entries): Record<string, string> => Object.assign(Object.create(null), entries));
const value = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, 1, 8));

/** Families with names that do not collide. */
export const families: fc.Arbitrary<MetricFamily[]> = fc
  .array(
    fc.record({
      stem: fc.oneof(
        fc.stringMatching(/^[a-z_:][a-z0-9_:]{0,8}$/),
        fc.constantFrom("vllm:num_requests_running", "__proto__", "constructor"),
      ),
      type: fc.constantFrom(...(Object.keys(suffixes) as MetricType[])),
      help: anyText,
      unit: fc.constantFrom("", "seconds"),
      samples: fc.array(
        fc.record({
          suffix: fc.nat(),
          labels,
          value,
          timestamp: fc.option(fc.integer({ min: 0, max: 2 ** 42 }), { nil: undefined }),
        }),
        { maxLength: 5 },
      ),
    }),
    { maxLength: 6 },
  )
  .map((made) =>
    made.map(({ stem, type, help, unit, samples }, index) => ({
      name: `${stem}${index}x`,
      type,
      help: help.trim(),
      unit,
      samples: samples.map(({ suffix, ...rest }): Sample => {
        const fitting = suffixes[type];
        return { name: `${stem}${index}x${fitting[suffix % fitting.length]}`, ...rest };
      }),
    })),
  );

/** Writes families as a server would. */
export function render(list: readonly MetricFamily[], style: Style): Uint8Array {
  const lines = list.flatMap((family) => {
    const samples = family.samples.map((sample) => sampleLine(sample, style));
    const metadata = metadataLines(family, style);
    return style.lateMetadata ? [...samples, ...metadata] : [...metadata, ...samples];
  });
  if (style.openmetrics) lines.push("# EOF");
  const body = lines.join(style.newline) + (style.lastNewline ? style.newline : "");
  return new TextEncoder().encode((style.bom ? "\ufeff" : "") + body);
}

function metadataLines(family: MetricFamily, style: Style): string[] {
  const name = style.quoteNames ? `"${family.name}"` : family.name;
  const help = escapeText(family.help, !style.openmetrics);
  return [
    `#${style.blank}TYPE ${name}${style.blank}${family.type}`,
    ...(family.help === "" ? [] : [`# HELP ${name} ${help}`]),
    ...(family.unit === "" ? [] : [`# UNIT ${name} ${family.unit}`]),
  ];
}

function sampleLine(sample: Sample, style: Style): string {
  const pairs = Object.entries(sample.labels).map(
    ([name, text]) => `${name}${style.blank}="${escapeText(text, false)}"`,
  );
  const name = style.quoteNames ? `"${sample.name}"` : sample.name;
  const inside = (style.quoteNames ? [name, ...pairs] : pairs).join(`,${style.blank}`);
  const comma = style.trailingComma && inside !== "" ? "," : "";
  const braces = inside === "" ? "" : `{${inside}${comma}}`;
  const time =
    sample.timestamp === undefined
      ? ""
      : style.blank + (style.openmetrics ? sample.timestamp / 1000 : sample.timestamp);
  const exemplar = style.exemplars ? `${style.blank}# {trace_id="a b"} 0.5 17.25` : "";
  return `${style.quoteNames ? "" : name}${braces}${style.blank}${number(sample.value)}${time}${exemplar}`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

function escapeText(text: string, classicHelp: boolean): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return classicHelp ? escaped : escaped.replaceAll('"', '\\"');
}
