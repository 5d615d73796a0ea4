import { MusterError } from "@muster/core";
import type { PrometheusPage } from "@muster/core/prometheus";
import type { CompiledEngine } from "./compile.ts";
import { countMatches, type PageReading, readPage } from "./read-page.ts";

/** The engines of one extractor. */
export interface EngineSet {
  /** By name, in the order in which detection prefers them. */
  readonly byName: ReadonlyMap<string, CompiledEngine>;
  /** Set only when the user named one. */
  readonly defaultEngine: CompiledEngine | undefined;
}

/** What is known of an endpoint before its page is read. */
export interface EngineHints {
  /** The engine its label names, which need not exist. */
  readonly label: string | undefined;
  /** The engine its last page was of. */
  readonly last: CompiledEngine | undefined;
}

/** A reading, and whether the label had to be passed over: no such engine, or none of its metrics. */
export interface ChosenReading {
  readonly reading: PageReading;
  readonly labelUnusable: boolean;
}

/**
 * Reads a page as the engine that the endpoint's label names, else as the configured default, else as
 * the one it was last, else as the one of which it has most metrics; each only when the page has any
 * of its metrics.
 *
 * @throws MusterError EXTRACT_NO_ENGINE when it has none of any engine.
 */
export function chooseReading(
  engines: EngineSet,
  page: PrometheusPage,
  hints: EngineHints,
): ChosenReading {
  const { label, last } = hints;
  const labelled = label === undefined ? undefined : engines.byName.get(label);
  const first = labelled && readPage(labelled, page);
  if (first !== undefined) return { reading: first, labelUnusable: false };
  const { defaultEngine } = engines;
  const reading =
    (defaultEngine && readPage(defaultEngine, page)) ??
    (last && readPage(last, page)) ??
    readDetected(engines, page);
  if (reading === undefined) throw noEngine(engines, label);
  return { reading, labelUnusable: label !== undefined };
}

function readDetected(engines: EngineSet, page: PrometheusPage): PageReading | undefined {
  let best: CompiledEngine | undefined;
  let most = 0;
  for (const engine of engines.byName.values()) {
    const matches = engine.detected ? countMatches(engine, page) : 0;
    if (matches > most) {
      best = engine;
      most = matches;
    }
  }
  return best && readPage(best, page);
}

function noEngine(engines: EngineSet, label: string | undefined): MusterError {
  const names = [...engines.byName.keys()].join(", ");
  const labelled = label === undefined ? "" : `, nor of "${label.slice(0, 64)}", as its label says`;
  return new MusterError(
    "EXTRACT_NO_ENGINE",
    `the page has no metric of a known engine (${names})${labelled}: the engine may still be starting, or the URL may be another service's`,
  );
}
