import { Buffer } from "node:buffer";

/** A RangeRequest of etcd's `rpc.proto`, as far as it is used; keys are bytes in base64. */
export interface RangeMessage {
  readonly key: string;
  readonly range_end: string;
  readonly limit: number;
  readonly revision: number;
}

/** What of a RangeResponse is read. */
export interface RangeRecords {
  readonly more: boolean;
  /** In base64; undefined when there are none. */
  readonly lastKey: string | undefined;
}

/** Takes a record: whole key, value, revision of its last change. */
export type OnRecord = (key: string, value: string, revision: number) => void;

/** Encodes a request as protobuf. */
export function encodeRange({ key, range_end, limit, revision }: RangeMessage): Uint8Array {
  const bytes: number[] = [];
  const varint = (value: number): void => {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  };
  for (const [field, text] of [
    [1, key],
    [2, range_end],
  ] as const) {
    const data = Buffer.from(text, "base64");
    varint(field * 8 + 2);
    varint(data.length);
    bytes.push(...data);
  }
  varint(3 * 8);
  varint(limit);
  varint(4 * 8);
  varint(revision);
  return Uint8Array.from(bytes);
}

/**
 * Reads a response, record by record.
 *
 * @throws RangeError when it is not protobuf of that kind
 */
export function decodeRange(message: Buffer, onRecord: OnRecord): RangeRecords {
  const reader = new MessageReader(message);
  let more = false;
  let last: { readonly start: number; readonly end: number } | undefined;
  reader.fields(message.length, (field) => {
    if (field === 2) last = readRecord(reader, onRecord);
    else if (field === 3) more = reader.varint() !== 0;
    else return false;
    return true;
  });
  const lastKey = last && message.toString("base64", last.start, last.end);
  return { more, lastKey };
}

/** Returns where its key is. */
function readRecord(
  reader: MessageReader,
  onRecord: OnRecord,
): { readonly start: number; readonly end: number } {
  const end = reader.block();
  let key = { start: 0, end: 0 };
  let value = "";
  let revision = 0;
  reader.fields(end, (field) => {
    if (field === 1) key = reader.range();
    else if (field === 3) revision = reader.varint();
    else if (field === 5) value = reader.text();
    else return false;
    return true;
  });
  onRecord(reader.textAt(key), value, revision);
  return key;
}

/** Reads protobuf; throws RangeError where it does not hold together. */
class MessageReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Calls `take` with each field up to `end`; what it does not take is skipped. */
  fields(end: number, take: (field: number) => boolean): void {
    while (this.#at < end) {
      const tag = this.varint();
      if (!take(Math.floor(tag / 8))) this.#skip(tag % 8);
    }
    if (this.#at !== end) throw new RangeError("a field is longer than its message");
  }

  /** A number up to 2^53; what is larger loses its last digits, and is not used. */
  varint(): number {
    let value = 0;
    for (let factor = 1, count = 0; count < 10; factor *= 128, count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new RangeError("a number does not end");
  }

  /** Where a block of a length of its own ends. */
  block(): number {
    const end = this.varint() + this.#at;
    if (end > this.#bytes.length) throw new RangeError("a block is longer than the message");
    return end;
  }

  range(): { readonly start: number; readonly end: number } {
    const end = this.block();
    const start = this.#at;
    this.#at = end;
    return { start, end };
  }

  text(): string {
    return this.textAt(this.range());
  }

  textAt({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.#bytes.toString("utf8", start, end);
  }

  #skip(kind: number): void {
    if (kind === 0) this.varint();
    else if (kind === 1) this.#at += 8;
    else if (kind === 2) this.range();
    else if (kind === 5) this.#at += 4;
    else throw new RangeError(`unknown kind of field ${kind}`);
  }
}
