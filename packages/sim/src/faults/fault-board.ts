import type { Fault, FaultKind } from "./fault.ts";

/** What a request has to go through. */
export interface FaultDecision {
  /** Ms to wait first. */
  readonly latency: number;
  /** What happens instead of the answer. */
  readonly fault: Fault | undefined;
}

/** The faults that are on: one of each kind. The one switched on last wins; latency adds to it. */
export class FaultBoard {
  readonly #faults = new Map<FaultKind, Fault>();

  list(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  set(fault: Fault): void {
    this.#faults.delete(fault.kind);
    this.#faults.set(fault.kind, fault);
  }

  /** Switches one kind off, or all. */
  clear(kind?: FaultKind): void {
    if (kind === undefined) this.#faults.clear();
    else this.#faults.delete(kind);
  }

  /** Decides on one request, and counts it. */
  decide(route: "metrics" | "other"): FaultDecision {
    if (this.#faults.size === 0) return noFault;
    const applying = this.list().filter(({ target }) => target === "all" || route === "metrics");
    const latency = applying.find(({ kind }) => kind === "latency");
    const fault = applying.findLast(({ kind }) => kind !== "latency");
    if (latency) this.#count(latency);
    if (fault) this.#count(fault);
    return { latency: latency?.ms ?? 0, fault };
  }

  #count(fault: Fault): void {
    if (fault.count === null) return;
    if (fault.count === 1) this.#faults.delete(fault.kind);
    else this.#faults.set(fault.kind, Object.freeze({ ...fault, count: fault.count - 1 }));
  }
}

const noFault: FaultDecision = Object.freeze({ latency: 0, fault: undefined });
