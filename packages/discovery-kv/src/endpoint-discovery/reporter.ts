import {
  formatTypedName,
  type Gauge,
  type LogFields,
  type Logger,
  type Meter,
  type MeterLabels,
  type MusterError,
  type TypedName,
} from "@muster/core";

/** Most problems of records that are logged before all of them are solved. */
const maxLines = 20;

/** Options of {@link Reporter}. */
export interface ReporterOptions {
  readonly plugin: TypedName;
  readonly logger: Logger;
  readonly metrics: Meter;
}

/** Logs each problem of a record once, and shows how many records have one. */
export class Reporter {
  readonly #logger: Logger;
  readonly #fields: LogFields;
  readonly #labels: MeterLabels;
  readonly #skipped: Gauge;
  /** Message by record. */
  readonly #problems = new Map<string, string>();
  #lines = 0;

  constructor({ plugin, logger, metrics }: ReporterOptions) {
    this.#logger = logger;
    this.#fields = { plugin: formatTypedName(plugin) };
    this.#labels = { discovery: plugin.name };
    this.#skipped = metrics.gauge({
      name: "muster_discovery_kv_skipped_records",
      help: "Records of the store that are skipped, wholly or in part, for their problems.",
      labels: ["discovery"],
    });
    this.#skipped.set(0, this.#labels);
  }

  /** A record cannot be used, or not all of it. */
  problem(record: string, { code, message }: MusterError): void {
    if (this.#problems.get(record) === message) return;
    this.#problems.set(record, message);
    this.#show();
    this.#lines += 1;
    const fields = { ...this.#fields, code, record };
    if (this.#lines <= maxLines) this.#logger.warn(fields, `${message}; it is skipped`);
    else if (this.#lines === maxLines + 1)
      this.#logger.warn(this.#fields, "more records are skipped; they are counted only");
  }

  /** The record is fine, or gone. */
  solved(record: string): void {
    if (!this.#problems.delete(record)) return;
    this.#show();
    if (this.#problems.size === 0) this.#lines = 0;
  }

  /** All endpoints were withdrawn, since the store was away for too long. */
  withdrawn(endpoints: number): void {
    this.#logger.error(
      { ...this.#fields, endpoints },
      "the store was away for longer than graceTime; its endpoints are withdrawn until it is back",
    );
  }

  /** Takes the gauge away. */
  close(): void {
    this.#skipped.remove(this.#labels);
  }

  #show(): void {
    this.#skipped.set(this.#problems.size, this.#labels);
  }
}
