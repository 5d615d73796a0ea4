import type { Discovery, DiscoveryEvent } from "@muster/core/plane";
import { agreement } from "../faults/agreement.ts";
import { expectedRecords, type FaultWorld, WorkerModel } from "../faults/model.ts";
import { Random } from "../faults/random.ts";
import { Reader } from "../faults/reader.ts";
import { slots } from "../support/records.ts";
import type { WorkerProcess } from "../support/worker-process.ts";
import { Ledger } from "./ledger.ts";

/** One store under churn. */
export interface ChurnOptions extends Pick<FaultWorld, "patience" | "contents"> {
  /** Starts a process. */
  worker(): Promise<WorkerProcess>;
  /** Who looks on. */
  reader: Discovery;
  readonly seconds: number;
}

/** What happened. */
export interface ChurnReport {
  /** Registrations and unregistrations that succeeded. */
  operations: number;
  /** Events that the onlooker was given, by type. */
  readonly events: Record<DiscoveryEvent["type"], number>;
  /** Records that a dead process left behind. */
  orphans: number;
  /** Records at the end. */
  records: number;
}

const processes = 8;

/**
 * Lets 8 processes register and unregister records of every kind, each time with another address, as
 * fast as they can. One of them leaves and one dies on the way; others take their places. Every event
 * of an onlooker is held against what was written, and its view at the end against the truth.
 */
export async function runChurn(options: ChurnOptions): Promise<ChurnReport> {
  const ledger = new Ledger();
  const events = { Added: 0, Removed: 0, ModelTaintsUpdated: 0, Resync: 0 };
  const report: ChurnReport = { operations: 0, events, orphans: 0, records: 0 };
  const onlooker = await Reader.start(options.reader, {
    queueLimit: 16_384,
    onEvent(event) {
      events[event.type] += 1;
      ledger.check(event);
    },
  });
  try {
    const models: WorkerModel[] = [];
    for (let count = 0; count < processes; count++)
      models.push(new WorkerModel(await options.worker()));
    const end = performance.now() + options.seconds * 1000;
    const life = (model: WorkerModel, until: number, seed: number): Promise<void> =>
      churn({ model, until, ledger, random: new Random(seed), report });
    /** One that lives a third of the time, and the one that comes after it. */
    const lives = async (index: number, kill: boolean): Promise<WorkerModel> => {
      const first = models[index] as WorkerModel;
      await life(first, end - (options.seconds * 1000 * 2) / 3, index);
      if (kill) report.orphans = first.records.size;
      await (kill ? first.worker.kill?.() : first.worker.leave());
      const second = new WorkerModel(await options.worker());
      await life(second, end, index + processes);
      return second;
    };
    const left = await Promise.all([
      lives(0, false),
      lives(1, true),
      ...models.slice(2).map((model, index) => life(model, end, index + 2).then(() => model)),
    ]);
    const truth = expectedRecords(left);
    await agreement(options, [onlooker], truth);
    report.records = truth.length;
    return report;
  } finally {
    await onlooker.close();
  }
}

interface Life {
  readonly model: WorkerModel;
  /** `performance.now()` of its end. */
  readonly until: number;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly report: ChurnReport;
}

async function churn({ model, until, ledger, random, report }: Life): Promise<void> {
  while (performance.now() < until) {
    const slot = random.pick(slots) ?? "endpoint";
    const op = model.records.has(slot) ? "unregister" : "register";
    const action = { op, slot, value: ledger.next() } as const;
    if (op === "register") ledger.write(model.wire(action), action.value);
    await model.worker.run(action);
    model.done(action);
    report.operations += 1;
  }
}
