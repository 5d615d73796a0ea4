import type { Clock } from "@muster/core";
import { checkRoom, maxRecords } from "../record-limit.ts";
import { readLease } from "./lease-value.ts";
import type { Message } from "./message.ts";

/** What is known of one owner of records. */
interface Owner {
  ttl: number;
  alive: boolean;
  /** When it is dead unless heard of, by our monotonic clock. */
  deadline: number;
  /** Of its lease's last message; 0: there is none. */
  sequence: number;
  /** Its lease was seen; until then it is presumed to live. */
  heard: boolean;
  /** Its lease is marked as gone: nobody has to be asked any more. */
  buried: boolean;
  /** When it was found dead, by our monotonic clock. */
  diedAt: number;
}

/** Called when an owner died or came back: what it wrote vanishes or appears. */
export type RosterListener = (owner: string, alive: boolean) => void;

/** Options of {@link Roster}. */
export interface RosterOptions {
  readonly clock: Clock;
  /** Lifetime of owners that have not said theirs, ms. */
  readonly ttl: number;
  /** How often the server lets us hear of it at least, ms. */
  readonly heartbeat: number;
}

/** Dead owners are remembered so long, ms: as long as anything of theirs can be about. */
const memory = 3_600_000;

/**
 * Who is alive, told from the leases that owners keep renewing. Nobody's clock is compared with
 * another's: an owner is dead when, by our monotonic clock, its time has passed without a renewal, and
 * when the server was heard of after that. So neither an outage nor a pause of our own kills anybody.
 */
export class Roster {
  readonly #options: RosterOptions;
  readonly #owners = new Map<string, Owner>();
  readonly #listeners = new Set<RosterListener>();
  #lastActivity = Number.NEGATIVE_INFINITY;
  #cancelSweep: (() => void) | undefined;
  #nextSweep = 0;

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  listen(listener: RosterListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Whether an owner is alive; one never heard of is, until its time has passed, or as long as there
   * are too many to remember it.
   */
  alive(owner: string): boolean {
    const isFull = this.#owners.size >= maxRecords && !this.#owners.has(owner);
    return isFull || this.#of(owner).alive;
  }

  /** Whether an owner's lease is marked as gone: its records may be removed. */
  isBuried(owner: string): boolean {
    return this.#owners.get(owner)?.buried ?? false;
  }

  /** Owners found dead at least so many ms ago whose leases are not marked yet. */
  unburied(age: number): { readonly owner: string; readonly sequence: number }[] {
    const before = this.#options.clock.monotonic() - age;
    return [...this.#owners]
      .filter(([, { alive, buried, diedAt }]) => !alive && !buried && diedAt <= before)
      .map(([owner, { sequence }]) => ({ owner, sequence }));
  }

  /** All leases follow; sequences start anew, since it may be another stream. */
  beginSnapshot(): void {
    for (const owner of this.#owners.values()) owner.sequence = 0;
    this.activity();
  }

  /**
   * A lease's message. `age` is how old it was, by the server's clock, when we began to listen;
   * undefined for one that was just stored.
   *
   * @throws MusterError STORE_TOO_LARGE
   */
  hear(name: string, lease: Message, age?: number): void {
    if (!this.#owners.has(name)) checkRoom(this.#owners.size, "of who is alive");
    const owner = this.#of(name);
    const known = owner.heard && owner.alive;
    owner.heard = true;
    owner.sequence = lease.sequence;
    owner.buried = lease.state !== "present";
    if (owner.buried) {
      this.#turn(name, owner, false);
      return;
    }
    owner.ttl = readLease(lease.value)?.ttl ?? this.#options.ttl;
    // one that we know to live may just have had no server to renew its lease at
    const left = age === undefined || known ? owner.ttl : owner.ttl - age;
    owner.deadline = this.#options.clock.monotonic() + left;
    this.#turn(name, owner, left > 0);
    if (left > 0) this.#plan(owner.deadline);
  }

  /** The server was heard of. */
  activity(): void {
    const now = this.#options.clock.monotonic();
    // owners could not reach us meanwhile, or we did not listen: they get their time once more
    if (now - this.#lastActivity > 3 * this.#options.heartbeat)
      for (const owner of this.#owners.values()) owner.deadline = now + owner.ttl;
    this.#lastActivity = now;
  }

  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#owners.clear();
    this.#lastActivity = Number.NEGATIVE_INFINITY;
  }

  #of(name: string): Owner {
    let owner = this.#owners.get(name);
    if (owner === undefined) {
      const { clock, ttl } = this.#options;
      const now = clock.monotonic();
      const state = { alive: true, heard: false, buried: false };
      owner = { ttl, deadline: now + ttl, sequence: 0, diedAt: now, ...state };
      this.#owners.set(name, owner);
      this.#plan(owner.deadline);
    }
    return owner;
  }

  #turn(name: string, owner: Owner, alive: boolean): void {
    if (owner.alive === alive) return;
    owner.alive = alive;
    if (!alive) owner.diedAt = this.#options.clock.monotonic();
    for (const listener of [...this.#listeners]) listener(name, alive);
  }

  /** Looks at all when `deadline` has passed, if not sooner. */
  #plan(deadline: number): void {
    const { clock, heartbeat } = this.#options;
    const now = clock.monotonic();
    const at = Math.min(Math.max(deadline, now + heartbeat / 4), now + memory);
    if (this.#cancelSweep && this.#nextSweep <= at) return;
    this.#cancelSweep?.();
    this.#nextSweep = at;
    this.#cancelSweep = clock.schedule(() => this.#sweep(), at - now);
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#options.clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const [name, owner] of this.#owners) {
      if (owner.alive && owner.deadline < Math.min(now, this.#lastActivity))
        this.#turn(name, owner, false);
      if (owner.alive) next = Math.min(next, owner.deadline);
      else if (now - owner.diedAt >= memory) this.#owners.delete(name);
    }
    if (this.#owners.size > 0) this.#plan(next);
  }
}
