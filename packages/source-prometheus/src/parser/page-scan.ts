import type { PrometheusPage } from "@muster/core/prometheus";
import { hash, newline, openBrace, quote, skipBlanks, trimEnd, trimReturn } from "./characters.ts";
import { FamilyBuilder } from "./family-builder.ts";
import type { CompiledSelection } from "./family-selection.ts";
import type { Labels } from "./label-set.ts";
import type { ParseLimits } from "./limits.ts";
import { applyMetadata, keywordAt, readMetadata } from "./metadata-line.ts";
import type { PageMemory } from "./page-memory.ts";
import type { PageText } from "./page-text.ts";
import { ParsedPage } from "./parsed-page.ts";
import { readMetricName, readSeriesLabels, readSeriesName } from "./series-head.ts";
import { ValueReader } from "./value-reader.ts";

/** What a scan needs beside the page. */
export interface PageScanOptions {
  readonly format: PrometheusPage["format"];
  readonly selection: CompiledSelection;
  readonly limits: ParseLimits;
  readonly memory?: PageMemory | undefined;
}

/** One pass over one page. Every byte is looked at a bounded number of times, whatever it is. */
export class PageScan {
  readonly #page: PageText;
  readonly #options: PageScanOptions;
  readonly #builder: FamilyBuilder;
  readonly #value: ValueReader;
  #skipped = 0;
  #ended = false;

  constructor(page: PageText, options: PageScanOptions) {
    this.#page = page;
    this.#options = options;
    this.#builder = new FamilyBuilder(options.limits);
    this.#value = new ValueReader(options.format === "openmetrics");
  }

  /** Whether `# EOF` was met, which ends every OpenMetrics page. */
  get ended(): boolean {
    return this.#ended;
  }

  run(): PrometheusPage {
    const { text, bytes } = this.#page;
    const { selection, memory, format } = this.#options;
    memory?.rewind();
    let at = text.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0;
    while (at < text.length && !this.#ended) {
      const found = text.indexOf("\n", at);
      const end = found === -1 ? text.length : found;
      const start = skipBlanks(text, at);
      const first = text.charCodeAt(start);
      if (first === hash) this.#comment(start, end);
      else if (first === openBrace || selection.mayBeAt(bytes, start)) this.#sample(start, end);
      at = end + 1;
    }
    memory?.settle();
    const families = selection.restrict(this.#builder.build());
    return new ParsedPage({ format, selection, families, skipped: this.#skipped });
  }

  #comment(start: number, lineEnd: number): void {
    const { text, bytes } = this.#page;
    const end = trimReturn(text, start, lineEnd);
    const wordAt = skipBlanks(text, start + 1);
    const keyword = keywordAt(text, wordAt, end);
    if (keyword === undefined) return;
    const nameAt = skipBlanks(text, wordAt + keyword.length);
    if (keyword === "EOF") {
      if (this.#options.format === "openmetrics" && nameAt >= end) this.#ended = true;
      return;
    }
    const { selection, memory } = this.#options;
    if (text.charCodeAt(nameAt) !== quote && !selection.mayBeAt(bytes, nameAt)) return;
    const known = memory?.recall(text, start);
    if (known?.metadata !== undefined) {
      applyMetadata(this.#builder, known.metadata);
      return;
    }
    const name = readMetricName(this.#page, nameAt, end);
    if (!this.#wants(name?.value)) return;
    const metadata =
      name &&
      this.#fits(start, lineEnd) &&
      readMetadata(this.#page, { keyword, name: name.value }, { start: name.end, end });
    if (!metadata) this.#skipped++;
    else {
      applyMetadata(this.#builder, metadata);
      // a last line without a line feed could go on next time
      if (text.charCodeAt(lineEnd) === newline)
        memory?.learn({ text: this.#page.copyRaw(start, lineEnd + 1), metadata });
    }
  }

  #sample(start: number, lineEnd: number): void {
    const { text } = this.#page;
    const end = trimEnd(text, start, lineEnd);
    if (start >= end) return;
    const fits = this.#fits(start, lineEnd);
    const { memory } = this.#options;
    const known = fits ? memory?.recall(text, start) : undefined;
    if (known?.series !== undefined) {
      const { name, labels } = known.series;
      if (!this.#add(name, labels, { start: start + known.text.length, end })) this.#skipped++;
      return;
    }
    const name = readSeriesName(this.#page, start, end);
    if (!this.#wants(name?.value)) return;
    const set = name && fits && readSeriesLabels(this.#page, { start, end }, name.end);
    if (!set || !this.#add(name.value, set.labels, { start: set.end, end })) this.#skipped++;
    else {
      const series = { name: name.value, labels: set.labels };
      memory?.learn({ text: this.#page.copyRaw(start, set.end), series });
    }
  }

  /** A line without a name belongs to no family: it counts when all are read. */
  #wants(name: string | undefined): boolean {
    const { selection } = this.#options;
    return name === undefined ? selection.all : selection.includes(name);
  }

  #fits(start: number, lineEnd: number): boolean {
    return lineEnd - start <= this.#options.limits.maxLineBytes;
  }

  #add(name: string, labels: Labels, range: { start: number; end: number }): boolean {
    if (!this.#value.read(this.#page.text, range.start, range.end)) return false;
    this.#builder.sample(name, labels, this.#value.value, this.#value.timestamp);
    return true;
  }
}
