import { type DiscoveryEvent, encodeInstance } from "@muster/core/plane";

/** All that was ever written, to tell records that are wrong or out of date when they are shown. */
export class Ledger {
  /** Wire form to the number of the write: no two are the same. */
  readonly #written = new Map<string, number>();
  /** The newest write that was shown, by record. */
  readonly #shown = new Map<string, number>();
  #last = 1000;

  /** A number greater than all before. */
  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Notes a write before it begins. */
  write(wire: string, number: number): void {
    this.#written.set(wire, number);
  }

  /** Throws when an event shows what nobody wrote, or what is older than what was shown before. */
  check(event: DiscoveryEvent): void {
    if (event.type !== "Added") return;
    const { key } = event.instance.id();
    const wire = encodeInstance(event.instance);
    const number = this.#written.get(wire);
    const before = this.#shown.get(key) ?? 0;
    if (number === undefined) throw new Error(`nobody ever registered ${wire}`);
    if (number <= before) throw new Error(`write ${number} was shown after ${before}: ${wire}`);
    this.#shown.set(key, number);
  }
}
