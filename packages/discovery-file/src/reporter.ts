import {
  type Counter,
  formatTypedName,
  type Gauge,
  type LogFields,
  type Logger,
  type Meter,
  type MeterLabels,
  type MusterError,
  type TypedName,
} from "@muster/core";
import type { EndpointsFile } from "./endpoints-file.ts";
import type { RollChange } from "./roll.ts";

/** Options of {@link Reporter}. */
export interface ReporterOptions {
  readonly plugin: TypedName;
  readonly file: string;
  readonly logger: Logger;
  readonly metrics: Meter;
}

/** Most lines about entries that one reading of the file logs. */
const maxLines = 20;

/** Logs and counts changes of state: a problem once when it comes, and the end of a failure. */
export class Reporter {
  readonly #logger: Logger;
  readonly #fields: LogFields;
  readonly #labels: MeterLabels;
  readonly #reads: Counter;
  readonly #invalid: Gauge;
  #known: ReadonlySet<string> = new Set();
  #failure: string | undefined;

  constructor({ plugin, file, logger, metrics }: ReporterOptions) {
    this.#logger = logger;
    this.#fields = { plugin: formatTypedName(plugin), file };
    this.#labels = { discovery: plugin.name };
    this.#reads = metrics.counter({
      name: "muster_discovery_file_reads_total",
      help: "Contents of the endpoints file, by whether they could be used.",
      labels: ["discovery", "outcome"],
    });
    this.#invalid = metrics.gauge({
      name: "muster_discovery_file_invalid_entries",
      help: "Entries of the endpoints file that are skipped for their problems.",
      labels: ["discovery"],
    });
  }

  /** The content was taken over; there are `endpoints` now. */
  applied(file: EndpointsFile, change: RollChange, endpoints: number): void {
    this.#reads.add(1, { ...this.#labels, outcome: "applied" });
    this.#invalid.set(file.invalid.size + file.unnamed, this.#labels);
    this.#reportProblems(file);
    if (this.#failure !== undefined)
      this.#logger.info(this.#fields, "the endpoints file can be used again");
    this.#failure = undefined;
    if (change.upserted + change.deleted > 0)
      this.#logger.info({ ...this.#fields, ...change, endpoints }, "endpoints changed by file");
  }

  /** The content could not be used; what was read before stays in force. */
  failed(error: MusterError): void {
    this.#reads.add(1, { ...this.#labels, outcome: "failed" });
    const text = `${error.path}: ${error.message}`;
    if (text === this.#failure) return;
    this.#failure = text;
    this.#logger.error(
      { ...this.#fields, code: error.code, path: error.path },
      `${text}; the last good endpoints are kept`,
    );
  }

  /** Watching failed in some way; polling goes on. */
  unwatched(error: MusterError): void {
    this.#logger.warn({ ...this.#fields, code: error.code }, error.message);
  }

  /** Takes the gauge away. */
  close(): void {
    this.#invalid.remove(this.#labels);
  }

  #reportProblems({ problems, omittedProblems }: EndpointsFile): void {
    const keyed = problemKeys(problems);
    const fresh = [...keyed].filter(([key]) => !this.#known.has(key));
    for (const [, { code, path, message }] of fresh.slice(0, maxLines))
      this.#logger.warn({ ...this.#fields, code, path }, `${path}: ${message}`);
    const more = fresh.length - maxLines + omittedProblems;
    if (fresh.length > maxLines)
      this.#logger.warn({ ...this.#fields, more }, `${more} more problems in the endpoints file`);
    this.#known = new Set(keyed.keys());
  }
}

/** Problems by message and how often it was there before: lines move with every edit above them. */
function problemKeys(problems: readonly MusterError[]): Map<string, MusterError> {
  const counts = new Map<string, number>();
  const keyed = new Map<string, MusterError>();
  for (const problem of problems) {
    const count = counts.get(problem.message) ?? 0;
    counts.set(problem.message, count + 1);
    keyed.set(`${count} ${problem.message}`, problem);
  }
  return keyed;
}
