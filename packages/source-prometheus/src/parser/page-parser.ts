import { MusterError } from "@muster/core";
import type { PrometheusPage } from "@muster/core/prometheus";
import { formatOf, type PageAnswer } from "./content-type.ts";
import { CompiledSelection, type FamilySelection } from "./family-selection.ts";
import { defaultParseLimits, type ParseLimits } from "./limits.ts";
import { PageMemory } from "./page-memory.ts";
import { PageScan, type PageScanOptions } from "./page-scan.ts";
import { PageText } from "./page-text.ts";

/** Reads the pages of one endpoint, and remembers the last one to read the next one faster. */
export interface PageParser {
  /**
   * Parses one page. The bytes may be reused afterwards.
   *
   * @throws MusterError SCRAPE_CONTENT_TYPE when it is no Prometheus page, SCRAPE_TRUNCATED when an
   * OpenMetrics page lacks its `# EOF`, PARSE_LIMIT when it exceeds a limit. Malformed lines never throw:
   * they are skipped and counted.
   */
  parse(bytes: Uint8Array, answer?: PageAnswer): PrometheusPage;
}

/** Options of {@link createPageParser}. */
export interface PageParserOptions {
  /** Names as on the page, `*` for all; or a selection that many parsers share. */
  readonly families: readonly string[] | FamilySelection;
  readonly limits?: Partial<ParseLimits> | undefined;
}

/** Makes a parser for one endpoint's pages that reads only the given families. */
export function createPageParser(options: PageParserOptions): PageParser {
  const { families } = options;
  const selection = families instanceof CompiledSelection ? families : compile(families);
  const limits = { ...defaultParseLimits, ...options.limits };
  // all families of a page are too many to remember
  const memory = selection.all ? undefined : new PageMemory();
  return {
    parse: (bytes, answer = {}) =>
      scan(bytes, { format: formatOf(bytes, answer), selection, limits, memory }),
  };
}

/** Options of {@link parsePage}. */
export interface ParsePageOptions {
  /** Absent or empty: the classic text format. */
  readonly contentType?: string | undefined;
  /** Default: all. */
  readonly families?: readonly string[] | undefined;
  readonly limits?: Partial<ParseLimits> | undefined;
}

/**
 * Parses one page, by default all of it.
 *
 * @throws MusterError as {@link PageParser.parse}.
 */
export function parsePage(bytes: Uint8Array, options: ParsePageOptions = {}): PrometheusPage {
  const { contentType, families = ["*"], limits } = options;
  return createPageParser({ families, limits }).parse(bytes, { contentType });
}

function compile(families: readonly string[] | FamilySelection): CompiledSelection {
  return new CompiledSelection("families" in families ? families.families : families);
}

function scan(bytes: Uint8Array, options: PageScanOptions): PrometheusPage {
  const pass = new PageScan(new PageText(bytes), options);
  const page = pass.run();
  if (options.format === "openmetrics" && !pass.ended)
    throw new MusterError(
      "SCRAPE_TRUNCATED",
      `the OpenMetrics page ends after ${bytes.byteLength} bytes without "# EOF": it was cut short`,
    );
  return page;
}
