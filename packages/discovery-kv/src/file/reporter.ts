import { type Counter, type Logger, type Meter, type MusterError, messageOf } from "@muster/core";
import type { Refusal } from "./look.ts";

/** Logs and counts what happens to the files of a store; one line per change of state. */
export class Reporter {
  readonly #logger: Logger;
  readonly #root: string;
  readonly #restored: Counter;
  readonly #withdrawn: Counter;
  readonly #expired: Counter;
  readonly #ignored: Counter;
  readonly #said = new Set<string>();

  constructor(root: string, logger: Logger, metrics: Meter) {
    this.#root = root;
    this.#logger = logger;
    const counter = (name: string, help: string, labels: string[] = []): Counter =>
      metrics.counter({ name, help, labels });
    this.#restored = counter(
      "muster_store_file_records_restored_total",
      "Own records that were put again because they had vanished while this process was stopped, or with their directory.",
    );
    this.#withdrawn = counter(
      "muster_store_file_records_withdrawn_total",
      "Own records that somebody else removed.",
    );
    this.#expired = counter(
      "muster_store_file_records_expired_total",
      "Records removed because their process no longer kept them alive.",
    );
    this.#ignored = counter(
      "muster_store_file_ignored_files_total",
      "Files in a bucket that are no records: name, symlink, not-a-file, too-large, unreadable.",
      ["reason"],
    );
  }

  /** Own records are there again. */
  restored(bucket: string, keys: readonly string[], why: string): void {
    this.#restored.add(keys.length);
    const fields = { root: this.#root, bucket, records: keys.length, first: keys[0] };
    this.#logger.warn(fields, `own records had vanished, ${why}; they were put again`);
  }

  /** An own record is gone for good. */
  withdrawn(bucket: string, key: string, why: string): void {
    this.#withdrawn.add(1);
    const fields = { root: this.#root, bucket, key };
    this.#logger.warn(fields, `an own record was removed by somebody else and stays away: ${why}`);
  }

  expired(bucket: string, key: string): void {
    this.#expired.add(1);
    const fields = { root: this.#root, bucket, key };
    this.#logger.info(fields, "a record was removed: its process does not keep it alive any more");
  }

  /** A file is no record. Named once for each reason; all are counted. */
  ignored(bucket: string, name: string, reason: Refusal): void {
    this.#ignored.add(1, { reason });
    if (this.#once(`ignored ${bucket} ${reason}`))
      this.#logger.warn({ root: this.#root, bucket, file: name, reason }, "a file is no record");
  }

  /** Old records are left out of a list. */
  outdated(bucket: string, records: number): void {
    const fields = { root: this.#root, bucket, records };
    this.#logger.info(fields, "left out records that nobody keeps alive");
  }

  /** There are no events; polling goes on. */
  unwatched(bucket: string, cause: unknown): void {
    if (!this.#once(`unwatched ${bucket}`)) return;
    this.#logger.warn(
      { root: this.#root, bucket, code: "DISCOVERY_WATCH" },
      `cannot watch the bucket's directory, it is polled instead: ${messageOf(cause)}`,
    );
  }

  /** Something of the store does not work now. */
  failed(bucket: string, error: MusterError): void {
    const fields = { root: this.#root, bucket, code: error.code };
    if (this.#once(`failed ${bucket} ${error.message}`)) this.#logger.error(fields, error.message);
  }

  /** It works again. */
  works(bucket: string): void {
    for (const text of this.#said)
      if (text.startsWith(`failed ${bucket} `)) this.#said.delete(text);
    this.#logger.info({ root: this.#root, bucket }, "the bucket can be used again");
  }

  /** What somebody who watches gave us to call failed. */
  threw(bucket: string, error: string): void {
    this.#logger.error({ root: this.#root, bucket, error }, "a listener of interruptions threw");
  }

  #once(text: string): boolean {
    if (this.#said.has(text)) return false;
    this.#said.add(text);
    return true;
  }
}
