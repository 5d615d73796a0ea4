import { type Discovery, encodeInstance, ModelInstance, withTaints } from "@muster/core/plane";
import { taintsOf } from "../support/perform.ts";
import { type Action, recordOf, type Slot } from "../support/records.ts";

/** A worker of a world, in a process of its own where it can die and stand still. */
export interface FaultWorker {
  readonly instanceId: bigint;
  run(action: Action): Promise<void>;
  /** Ends it as a program ends. */
  leave(): Promise<void>;
  /** `kill -9`. */
  kill?(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze?(): void;
  thaw?(): void;
}

/** Something that goes wrong in a world. */
export interface Fault {
  readonly name: string;
  /** How often it is tried, beside 10 for most steps; default 2. */
  readonly weight?: number;
  /** Makes it happen; `below` gives a random number below a limit. */
  begin(below: (limit: number) => number): Promise<void>;
  /** Ends it, if it lasts; other steps happen meanwhile, and may fail. */
  end?(): Promise<void>;
}

/** One store with faults of its own. */
export interface FaultWorld {
  /** How long it may take until everybody agrees with the store, ms. */
  readonly patience: number;
  readonly faults: readonly Fault[];
  worker(): Promise<FaultWorker>;
  /** Somebody who reads only. */
  reader(): Promise<Discovery>;
  /** The records in the store, in wire form, read without the store's own client. */
  contents(): Promise<string[]>;
}

/** What a worker has registered, as far as we know. */
export class WorkerModel {
  readonly worker: FaultWorker;
  /** Wire form by slot. */
  readonly records: Map<Slot, { readonly value: number; readonly wire: string }> = new Map();
  /** Slots of which an action failed on its way: it may or may not have happened. */
  readonly uncertain: Set<Slot> = new Set();
  frozen = false;

  constructor(worker: FaultWorker) {
    this.worker = worker;
  }

  /** What a successful action leaves. */
  done(action: Action): void {
    if (action.op === "taint") {
      const base = this.records.get("base model");
      if (base) this.records.set("base model", { ...base, wire: this.wire(action, base.value) });
      return;
    }
    this.uncertain.delete(action.slot);
    if (action.op === "unregister") this.records.delete(action.slot);
    else this.records.set(action.slot, { value: action.value, wire: this.wire(action) });
  }

  /** The record that an action writes; of taints, with the value of the model they are for. */
  wire(action: Action, value: number = action.value): string {
    const slot = action.op === "taint" ? "base model" : action.slot;
    const record = recordOf(this.worker.instanceId, slot, value);
    const isTainted = action.op === "taint" && record instanceof ModelInstance;
    return encodeInstance(isTainted ? withTaints(record, taintsOf(action.value)) : record);
  }
}

/** What the store must hold, given who is alive. */
export function expectedRecords(workers: Iterable<WorkerModel>): string[] {
  return [...workers]
    .filter(({ frozen }) => !frozen)
    .flatMap(({ records }) => [...records.values()].map(({ wire }) => wire))
    .sort();
}
