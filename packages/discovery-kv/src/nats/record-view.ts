import { checkRoom } from "../record-limit.ts";
import type { Message } from "./message.ts";
import type { Roster } from "./roster.ts";

/** Who is told of changes of a {@link RecordView}. */
export interface RecordListener {
  put(key: string, value: string): void;
  delete(key: string): void;
}

/**
 * What a bucket holds: its records, as far as their owners live. It tells of changes of what there is
 * to see: neither that a record was written again with the same value, nor what the dead do.
 */
export class RecordView {
  readonly #roster: Roster;
  readonly #listener: RecordListener;
  #records = new Records();
  /** Being read, while the old ones are still shown. */
  #next: Records | undefined;

  constructor(roster: Roster, listener: RecordListener) {
    this.#roster = roster;
    this.#listener = listener;
  }

  /** Everything follows anew; until `synced` the view stays as it is. */
  begin(): void {
    this.#next = new Records();
  }

  /** Everything was read; this tells nobody what differs, but of all changes after it. */
  synced(): void {
    this.#records = this.#next ?? this.#records;
    this.#next = undefined;
  }

  /**
   * A record, or the mark of one that is gone.
   *
   * @throws MusterError STORE_TOO_LARGE
   */
  take(key: string, message: Message): void {
    if (this.#next) {
      this.#next.take(key, message);
      return;
    }
    const before = this.#visible(this.#records.get(key));
    this.#records.take(key, message);
    const after = this.#visible(this.#records.get(key));
    if (after !== undefined && after !== before) this.#listener.put(key, after);
    else if (after === undefined && before !== undefined) this.#listener.delete(key);
  }

  /** An owner died or came back. */
  turn(owner: string, alive: boolean): void {
    for (const [key, { value }] of this.#records.of(owner))
      if (alive) this.#listener.put(key, value);
      else this.#listener.delete(key);
  }

  /** All there is to see. */
  entries(): Map<string, string> {
    const entries = new Map<string, string>();
    for (const [key, record] of this.#records) {
      const value = this.#visible(record);
      if (value !== undefined) entries.set(key, value);
    }
    return entries;
  }

  /** Records of owners whose leases are gone for good. */
  *remains(): Generator<Message> {
    for (const owner of this.#records.owners())
      if (this.#roster.isBuried(owner))
        for (const [, record] of this.#records.of(owner)) yield record;
  }

  #visible(record: Message | undefined): string | undefined {
    if (record === undefined) return undefined;
    const { owner, value } = record;
    return owner === undefined || this.#roster.alive(owner) ? value : undefined;
  }
}

/** Records by key, and by owner. */
class Records {
  readonly #all = new Map<string, Message>();
  readonly #byOwner = new Map<string, Set<string>>();

  [Symbol.iterator](): MapIterator<[string, Message]> {
    return this.#all[Symbol.iterator]();
  }

  get(key: string): Message | undefined {
    return this.#all.get(key);
  }

  owners(): Iterable<string> {
    return this.#byOwner.keys();
  }

  *of(owner: string): Generator<[string, Message]> {
    for (const key of this.#byOwner.get(owner) ?? []) {
      const record = this.#all.get(key);
      if (record) yield [key, record];
    }
  }

  take(key: string, message: Message): void {
    const previous = this.#all.get(key)?.owner;
    if (previous !== undefined) {
      const keys = this.#byOwner.get(previous);
      keys?.delete(key);
      if (keys?.size === 0) this.#byOwner.delete(previous);
    }
    if (message.state !== "present") {
      this.#all.delete(key);
      return;
    }
    if (!this.#all.has(key)) checkRoom(this.#all.size, "in the watched bucket");
    this.#all.set(key, message);
    if (message.owner === undefined) return;
    const keys = this.#byOwner.get(message.owner);
    if (keys) keys.add(key);
    else this.#byOwner.set(message.owner, new Set([key]));
  }
}
