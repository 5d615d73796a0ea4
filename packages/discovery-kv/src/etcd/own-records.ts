import type { Logger } from "@muster/core";
import { Serial } from "../serial.ts";
import type { CallOptions, Gateway } from "./gateway.ts";
import { fromWire, type RangeResponse, toWire } from "./wire.ts";

/** What {@link OwnRecords} needs. */
export interface OwnRecordsOptions {
  readonly gateway: Gateway;
  readonly leaseId: bigint;
  readonly logger: Logger;
}

/** What we wrote and nobody took from us since: what is written again when the lease was lost. */
export class OwnRecords {
  readonly serial: Serial = new Serial();
  readonly #options: OwnRecordsOptions;
  /** Values in objects of their own, so that a later write of the same value is told apart. */
  readonly #records = new Map<string, { readonly value: string }>();
  /** Keys whose last write may or may not have been carried out. */
  readonly #doubtful = new Set<string>();

  constructor(options: OwnRecordsOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  isDoubtful(key: string): boolean {
    return this.#doubtful.has(key);
  }

  keep(key: string, value: string): void {
    this.#records.set(key, { value });
    this.#doubtful.delete(key);
  }

  forget(key: string): void {
    this.#records.delete(key);
  }

  doubt(key: string): void {
    this.#doubtful.add(key);
  }

  /**
   * Calls `put` for each record, 16 at a time, in turn with other writes of its key; forgets those
   * that are taken.
   *
   * @returns how many were put
   */
  async restore(
    put: (record: { key: string; value: string }) => Promise<"there" | "taken">,
  ): Promise<number> {
    const keys = this.#records.keys();
    let restored = 0;
    const next = async (): Promise<void> => {
      for (const key of keys)
        await this.serial.run(key, async () => {
          const record = this.#records.get(key);
          if (record === undefined) return;
          const outcome = await put({ key, value: record.value });
          if (outcome === "there") restored += 1;
          else this.#lose(key, "it was registered by somebody else meanwhile");
        });
    };
    await Promise.all(Array.from({ length: 16 }, next));
    return restored;
  }

  /**
   * Compares with what hangs on the lease: a record that is not there any more was taken from us, and
   * one whose writing seemed to fail is removed.
   */
  async reconcile(
    attached: (options: CallOptions) => Promise<ReadonlySet<string>>,
    options: CallOptions,
  ): Promise<void> {
    if (this.#records.size === 0 && this.#doubtful.size === 0) return;
    const before = [...this.#records];
    const doubtful = [...this.#doubtful];
    const keys = await attached(options);
    for (const [key, record] of before)
      if (!keys.has(toWire(key)) && this.#records.get(key) === record && !this.serial.isBusy(key))
        this.#lose(key, "it was removed by somebody else");
    for (const key of doubtful)
      await this.serial.run(key, () => this.#settle(key, keys.has(toWire(key)), options));
  }

  /** Finds out what became of a write whose answer was lost. */
  async #settle(key: string, attached: boolean, options: CallOptions): Promise<void> {
    if (!this.#doubtful.has(key)) return;
    if (attached && this.#records.has(key)) await this.#readBack(key, options);
    else if (attached) await this.#remove(key, options);
    this.#doubtful.delete(key);
  }

  async #readBack(key: string, options: CallOptions): Promise<void> {
    const { gateway, leaseId } = this.#options;
    const answer = await gateway.ask<RangeResponse>("/v3/kv/range", { key: toWire(key) }, options);
    const present = answer.kvs?.[0];
    if (present?.lease === String(leaseId)) this.keep(key, fromWire(present.value));
  }

  /** Nobody was told that it was registered. */
  async #remove(key: string, options: CallOptions): Promise<void> {
    const { gateway, leaseId } = this.#options;
    const wireKey = toWire(key);
    const request = {
      compare: [{ key: wireKey, target: "LEASE", result: "EQUAL", lease: String(leaseId) }],
      success: [{ request_delete_range: { key: wireKey } }],
    };
    await gateway.ask("/v3/kv/txn", request, options);
  }

  #lose(key: string, why: string): void {
    this.forget(key);
    this.#options.logger.info({ store: "etcd", key }, `our record is ours no longer: ${why}`);
  }
}
