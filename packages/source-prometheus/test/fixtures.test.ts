import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { MetricFamily, PrometheusPage } from "@muster/core/prometheus";
import { describe, expect, it } from "vitest";
import { createPageParser, parsePage } from "../src/index.ts";

const folder = new URL("../../../fixtures/metrics/", import.meta.url);
const openmetrics = "application/openmetrics-text";

const samplesOf = (families: Iterable<MetricFamily>): string[] =>
  [...families].flatMap((family) =>
    family.samples.map((s) => `${s.name} ${Object.entries(s.labels).sort()} ${s.value}`),
  );

/** Reads a well-formed page the slow and simple way, to compare with. */
function simpleReader(page: string): string[] {
  return page.split("\n").flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/.exec(line);
    if (!match) return [];
    const labels = [...(match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      .filter(([, , value]) => value !== "")
      .map(([, name, value]) => [name, JSON.parse(`"${value}"`)]);
    return [`${match[1]} ${labels.sort()} ${Number(match[3]?.replace("Inf", "Infinity"))}`];
  });
}

describe("the pages of real servers", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".prom"));
  it.each(files)("%s", (file) => {
    const bytes = readFileSync(new URL(file, folder));
    const contentType = file.includes("openmetrics") ? openmetrics : undefined;
    const page = parsePage(bytes, { contentType });
    const expected = simpleReader(bytes.toString());
    expect(expected.length).toBeGreaterThan(5);
    expect(samplesOf(page.families()).sort()).toEqual(expected.sort());
    expect(page.skipped).toBe(0);
    expect(
      [...page.families()].filter((f) => f.type === "unknown" || f.samples.length === 0),
    ).toEqual([]);
    for (const family of page.families()) {
      const parser = createPageParser({ families: [family.name] });
      for (const _again of [1, 2])
        expect([...parser.parse(bytes, { contentType }).families()]).toEqual([family]);
    }
  });
});

interface Quirk {
  file: string;
  status: number;
  headers: Record<string, string>;
  expect: Record<string, unknown>;
}

/** The value of a gauge over its ranks: the newest of each, summed. What extractors do, in short. */
function total(page: PrometheusPage, name: string): number | null {
  const ranks = new Map<string | undefined, { value: number; time: number }>();
  for (const { labels, value, timestamp: time = 0 } of page.family(name)?.samples ?? []) {
    const rank = `${labels.engine} ${labels.model} ${labels.version}`;
    if (Number.isFinite(value) && time >= (ranks.get(rank)?.time ?? 0))
      ranks.set(rank, { value, time });
  }
  return ranks.size === 0 ? null : [...ranks.values()].reduce((sum, { value }) => sum + value, 0);
}

describe("quirks", () => {
  const quirks = (
    JSON.parse(readFileSync(new URL("quirks/expected.json", folder), "utf8")) as Quirk[]
  ).filter(({ file, status }) => status === 200 && file !== "gzip-bomb.prom.gz");

  it.each(quirks)("$file", ({ file, headers, expect: want }) => {
    const raw = readFileSync(new URL(`quirks/${file}`, folder));
    const bytes = file.endsWith(".gz") ? gunzipSync(raw) : raw;
    const parse = () => parsePage(bytes, { contentType: headers["content-type"] });
    if (want.error === "content type") {
      expect(parse).toThrow(expect.objectContaining({ code: "SCRAPE_CONTENT_TYPE" }));
      return;
    }
    const page = parse();
    const vllm = (name: string): number | null => total(page, `vllm:${name}`);
    const seen: Record<string, unknown> = {
      running: vllm("num_requests_running"),
      waiting: page.family("vllm:num_requests_waiting")
        ? vllm("num_requests_waiting")
        : total(page, "nv_inference_pending_request_count"),
      kv: vllm("kv_cache_usage_perc") ?? vllm("gpu_cache_usage_perc"),
      promptTokens: vllm("prompt_tokens_total"),
      modelLabel: page.family("vllm:num_requests_running")?.samples[0]?.labels.model_name,
    };
    if (file === "dp2-engines.prom") seen.kv = Number(seen.kv) / 2;
    const comparable = Object.entries(want).filter(([key]) => key in seen);
    for (const [key, value] of comparable) expect([key, seen[key]]).toEqual([key, value]);
    expect(comparable.length > 0 || /^(lora|dcgm|empty)/.test(file)).toBe(true);
    const counted = { "help-without-name.prom": 2, "float-forms.prom": 1 }[file] ?? 0;
    expect(page.skipped).toBe(counted);
  });
});
