import { type ErrorCode, errorCodeOf } from "@muster/core";
import type { WaitOptions } from "@muster/core/plane";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { Lease } from "./lease.ts";
import type { OwnRecords } from "./own-records.ts";
import { statusCode, statusError } from "./status.ts";
import { fromWire, type KeyValue, type TxnResponse, toNumber, toWire } from "./wire.ts";

/** How often a write is tried when the lease goes under its hands. */
const maxAttempts = 3;

/** After these nothing was written. */
const untouched: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "STORE_AUTH",
  "STORE_CONFIG",
  "STORE_TLS",
  "STORE_TOO_LARGE",
]);

/** What {@link RecordWriter} needs. */
export interface RecordWriterOptions {
  readonly gateway: Gateway;
  readonly lease: Lease;
  readonly leaseId: bigint;
  readonly own: OwnRecords;
}

interface Write {
  readonly key: string;
  readonly value: string;
  readonly compare: object;
  readonly options: WaitOptions | undefined;
}

/** Writes records that hang on our lease. Keys are whole: bucket and key. */
export class RecordWriter {
  readonly #options: RecordWriterOptions;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
  }

  /** @returns whether it was created */
  create(key: string, value: string, options: WaitOptions | undefined): Promise<boolean> {
    const compare = { target: "CREATE", result: "EQUAL", create_revision: "0" };
    return this.#write({ key, value, compare, options });
  }

  /** @returns whether it had that value */
  replace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options: WaitOptions | undefined,
  ): Promise<boolean> {
    const compare = { target: "VALUE", result: "EQUAL", value: toWire(change.expected) };
    return this.#write({ key, value: change.value, compare, options });
  }

  /**
   * @returns whether it was there; true also when it is gone after an attempt whose answer was lost
   */
  delete(key: string, options: WaitOptions | undefined): Promise<boolean> {
    const { gateway, own } = this.#options;
    return own.serial.run(key, async () => {
      // whatever becomes of the call: it is not to be written again
      own.forget(key);
      const request = { key: toWire(key) };
      const reply = await gateway.call<{ deleted?: string }>(
        "/v3/kv/deleterange",
        request,
        options,
      );
      if (reply.body === undefined) throw statusError("/v3/kv/deleterange", reply.refusal);
      return toNumber(reply.body.deleted) > 0 || reply.unsure;
    });
  }

  async #write(write: Write): Promise<boolean> {
    const { lease, own } = this.#options;
    for (let attempt = 1; ; attempt++) {
      await lease.ready(write.options?.signal);
      const written = await own.serial.run(write.key, () => this.#attempt(write));
      if (written !== "lease gone") return written;
      if (attempt === maxAttempts) return false;
      lease.doubt();
    }
  }

  async #attempt(write: Write): Promise<boolean | "lease gone"> {
    const { own } = this.#options;
    const { key, value } = write;
    try {
      const { written, present, unsure } = await this.#txn(write);
      if (written === "lease gone") return written;
      const ours = present?.lease === String(this.#options.leaseId);
      const doubtful = unsure || own.isDoubtful(key);
      const was = ours && doubtful && fromWire(present?.value) === value;
      if (written || was) {
        own.keep(key, value);
        return true;
      }
      // our own record is not there: did the lease end a moment ago?
      return present === undefined && own.has(key) ? "lease gone" : false;
    } catch (error) {
      if (!untouched.has(errorCodeOf(error, "STORE_UNAVAILABLE"))) own.doubt(key);
      throw error;
    }
  }

  async #txn({ key, value, compare, options }: Write): Promise<{
    readonly written: boolean | "lease gone";
    readonly present?: KeyValue | undefined;
    readonly unsure: boolean;
  }> {
    const { gateway, leaseId } = this.#options;
    const request = createOrRead(key, { value, compare, leaseId });
    const reply = await gateway.call<TxnResponse>("/v3/kv/txn", request, options);
    const { body, refusal, unsure } = reply;
    if (refusal?.code === statusCode.notFound) return { written: "lease gone", unsure };
    if (body === undefined) throw statusError("/v3/kv/txn", refusal);
    const present = body.responses?.[0]?.response_range?.kvs?.[0];
    return { written: body.succeeded === true, present, unsure };
  }
}

/** Puts a record back that went with the lease; `taken` when it is somebody else's by now. */
export async function putBack(
  { gateway, leaseId }: Pick<RecordWriterOptions, "gateway" | "leaseId">,
  record: { readonly key: string; readonly value: string },
  options: CallOptions,
): Promise<"there" | "taken"> {
  const compare = { target: "CREATE", result: "EQUAL", create_revision: "0" };
  const request = createOrRead(record.key, { value: record.value, compare, leaseId });
  const { body, refusal } = await gateway.call<TxnResponse>("/v3/kv/txn", request, options);
  if (body === undefined) throw statusError("/v3/kv/txn", refusal);
  const present = body.responses?.[0]?.response_range?.kvs?.[0];
  return body.succeeded || present?.lease === String(leaseId) ? "there" : "taken";
}

function createOrRead(
  key: string,
  write: { readonly value: string; readonly compare: object; readonly leaseId: bigint },
): object {
  const wireKey = toWire(key);
  const { value, leaseId: lease } = write;
  return {
    compare: [{ key: wireKey, ...write.compare }],
    success: [{ request_put: { key: wireKey, value: toWire(value), lease: String(lease) } }],
    failure: [{ request_range: { key: wireKey } }],
  };
}
