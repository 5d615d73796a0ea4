import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createPageParser, parsePage } from "@muster/source-prometheus";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { type Figure, timePerCall } from "./measure.ts";
import { pageNames, readPage, variants } from "./pages.ts";
import { type Check, type Report, type Row, round, show } from "./table.ts";

/** The floor on the 40-80 kB vLLM pages. */
const floor = 15;

const wanted: readonly string[] = [...coreMetrics.create().families, ...lora.create().families];
const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** From bytes to the samples the extractors need: ours, our full parse, and the peer's. */
export function benchParse(smoke: boolean): Report {
  const rows: Row[] = [];
  const checks: Check[] = [];
  for (const name of smoke ? pageNames.slice(0, 1) : pageNames) {
    const page = readPage(name);
    const { ours, full, peer } = measurePage(page, smoke ? 60 : 1500);
    const ratio = peer.median / ours.median;
    rows.push({
      page: name,
      kB: round(page.length / 1000),
      "ours us": show(ours),
      "full us": show(full),
      "peer us": show(peer),
      "peer/ours": round(ratio),
      "peer/full": round(peer.median / full.median),
    });
    if (name.startsWith("vllm") && page.length >= 40_000)
      checks.push({
        what: `parse ${name}: ${round(ratio)}x, floor ${floor}x`,
        held: ratio >= floor,
      });
  }
  return { name: "parse", rows, checks };
}

function measurePage(page: Uint8Array, ms: number): { ours: Figure; full: Figure; peer: Figure } {
  const pages = variants(page, 16);
  let at = 0;
  const next = (): Uint8Array => pages[at++ % pages.length] ?? page;
  const parser = createPageParser({ families: wanted });
  const decoder = new TextDecoder();
  return {
    ours: timePerCall(() => readAll(parser.parse(next(), { contentType })), ms),
    full: timePerCall(() => readAll(parsePage(next(), { contentType })), ms),
    // the peer takes text: decoding is part of its way from bytes
    peer: timePerCall(() => readPeer(parsePrometheusTextFormat(decoder.decode(next()))), ms),
  };
}

/** Touches every wanted value, so that nothing lazy is left out of the figure. */
function readAll(page: ReturnType<typeof parsePage>): number {
  let sum = 0;
  for (const name of wanted)
    for (const sample of page.family(name)?.samples ?? [])
      sum += sample.value + (sample.labels.engine === "0" ? 1 : 0);
  return sum;
}

function readPeer(families: ReturnType<typeof parsePrometheusTextFormat>): number {
  const byName = new Map(families.map((family) => [family.name, family]));
  let sum = 0;
  for (const name of wanted)
    for (const sample of byName.get(name)?.metrics ?? [])
      sum += Number(sample.value) + (sample.labels?.engine === "0" ? 1 : 0);
  return sum;
}
