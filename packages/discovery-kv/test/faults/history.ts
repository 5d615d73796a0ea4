import { type Action, type Slot, slots } from "../support/records.ts";
import { agreement } from "./agreement.ts";
import { expectedRecords, type Fault, type FaultWorld, WorkerModel } from "./model.ts";
import { Random } from "./random.ts";
import { Reader } from "./reader.ts";

/** How a history is made. */
export interface HistoryOptions {
  readonly world: FaultWorld;
  /** The same seed tries the same. */
  readonly seed: number;
  readonly steps: number;
  /** Steps between two comparisons; default 15. */
  readonly checkEvery?: number;
}

/** How often what was tried, by name. */
export type Tally = Record<string, number>;

interface Step {
  readonly name: string;
  readonly weight: number;
  run(): Promise<boolean>;
}

const maxWorkers = 4;

/**
 * Lets workers and faults do what a seed says, and compares now and then: the store by hand, what
 * readers list and what their watches made of it must all be what living workers have registered.
 * Nothing else may ever have been shown.
 */
export async function runHistory(options: HistoryOptions): Promise<Tally> {
  const history = new History(options);
  try {
    return await history.run();
  } catch (error) {
    const tail = history.log.slice(-40).join(", ");
    throw new Error(`seed ${options.seed}, after ${tail}:`, { cause: error });
  } finally {
    await history.close();
  }
}

class History {
  readonly log: string[] = [];
  readonly #options: HistoryOptions;
  readonly #random: Random;
  readonly #tally: Tally = {};
  readonly #workers = new Set<WorkerModel>();
  readonly #readers: Reader[] = [];
  readonly #lasting = new Set<Fault>();
  /** Wire form of all that any worker ever set out to write. */
  readonly #written = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #writes: Promise<unknown>[] = [];
  #value = 1000;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<Tally> {
    const { world, steps, checkEvery = 15 } = this.#options;
    for (let each = 0; each < 2; each++)
      this.#readers.push(await Reader.start(await world.reader()));
    for (let done = 0; done < steps; ) {
      const step = this.#choose();
      if (!(await step.run())) continue;
      this.log.push(step.name);
      this.#tally[step.name] = (this.#tally[step.name] ?? 0) + 1;
      if (++done % checkEvery === 0) await this.#check();
    }
    await this.#check();
    for (const { shown } of this.#readers) for (const wire of shown) this.#shown.add(wire);
    for (const wire of this.#shown)
      if (!this.#written.has(wire)) throw new Error(`nobody ever registered ${wire}`);
    return this.#tally;
  }

  async close(): Promise<void> {
    for (const fault of this.#lasting) await fault.end?.();
    for (const { worker } of this.#workers) {
      worker.thaw?.();
      await (worker.kill?.() ?? worker.leave());
    }
    await Promise.allSettled(this.#writes);
    for (const reader of this.#readers) await reader.close();
  }

  #choose(): Step {
    const steps = this.#steps();
    const total = steps.reduce((sum, { weight }) => sum + weight, 0);
    let point = this.#random.below(total);
    for (const step of steps) {
      point -= step.weight;
      if (point < 0) return step;
    }
    throw new Error("no step to choose");
  }

  #steps(): Step[] {
    const of = (name: string, weight: number, run: () => Promise<boolean>): Step => ({
      name,
      weight,
      run,
    });
    return [
      of("register", 20, () =>
        this.#act((slot, value) => [{ op: "register", slot, value }], false),
      ),
      of("unregister", 8, () =>
        this.#act((slot, value) => [{ op: "unregister", slot, value }], true),
      ),
      of("move", 10, () =>
        this.#act(
          (slot, value) => [
            { op: "unregister", slot, value },
            { op: "register", slot, value },
          ],
          true,
        ),
      ),
      of("taint", 5, () => this.#taint()),
      of("join", 6, () => this.#join()),
      of("leave", 2, () => this.#leave()),
      of("kill -9", 3, () => this.#kill()),
      of("kill -9 during a write", 3, () => this.#killWriting()),
      of("restart", 3, () => this.#restart()),
      of("SIGSTOP", 3, () => this.#freeze()),
      of("reader stalls", 3, async () => this.#random.pick(this.#readers)?.stall() === true),
      of("reader restarts", 2, () => this.#restartReader()),
      ...this.#options.world.faults.map((fault) =>
        of(fault.name, fault.weight ?? 2, () => this.#fail(fault)),
      ),
    ];
  }

  /** Somebody awake, or nobody. */
  #awake(): WorkerModel | undefined {
    return this.#random.pick([...this.#workers].filter(({ frozen }) => !frozen));
  }

  async #act(
    actions: (slot: Slot, value: number) => readonly Action[],
    registered: boolean,
  ): Promise<boolean> {
    const model = this.#awake();
    const free = slots.filter((slot) => model?.records.has(slot) === registered);
    const slot = this.#random.pick(free.filter((each) => !model?.uncertain.has(each)));
    if (model === undefined || slot === undefined) return false;
    // what follows one that failed could meet either outcome
    for (const action of actions(slot, ++this.#value)) if (!(await this.#do(model, action))) break;
    return true;
  }

  async #taint(): Promise<boolean> {
    const model = this.#awake();
    if (!model?.records.has("base model") || model.uncertain.has("base model")) return false;
    await this.#do(model, { op: "taint", value: ++this.#value });
    return true;
  }

  async #do(model: WorkerModel, action: Action): Promise<boolean> {
    this.#writing(model, action);
    try {
      await model.worker.run(action);
      model.done(action);
      return true;
    } catch (error) {
      // it may fail only while the store is in trouble, and then it may have happened or not
      if (this.#lasting.size === 0) throw error;
      model.uncertain.add(action.op === "taint" ? "base model" : action.slot);
      return false;
    }
  }

  #writing(model: WorkerModel, action: Action): void {
    const base = model.records.get("base model")?.value;
    if (action.op !== "unregister")
      this.#written.add(model.wire(action, action.op === "taint" ? base : action.value));
  }

  async #join(): Promise<boolean> {
    if (this.#workers.size >= maxWorkers) return false;
    this.#workers.add(new WorkerModel(await this.#options.world.worker()));
    return true;
  }

  async #leave(): Promise<boolean> {
    const model = this.#awake();
    // how a worker leaves that cannot reach its store is not what this is about
    if (model === undefined || this.#lasting.size > 0) return false;
    await model.worker.leave();
    this.#workers.delete(model);
    return true;
  }

  async #kill(
    model: WorkerModel | undefined = this.#random.pick([...this.#workers]),
  ): Promise<boolean> {
    if (model?.worker.kill === undefined) return false;
    await model.worker.kill();
    this.#workers.delete(model);
    return true;
  }

  async #killWriting(): Promise<boolean> {
    const model = this.#awake();
    const slot = this.#random.pick(slots);
    if (model?.worker.kill === undefined || slot === undefined) return false;
    const action: Action = { op: "register", slot, value: ++this.#value };
    this.#writing(model, action);
    this.#writes.push(model.worker.run(action).catch(String));
    await new Promise((resolve) => setTimeout(resolve, this.#random.below(8)));
    return this.#kill(model);
  }

  /** Killed, and at once there again under another id, with the same to register. */
  async #restart(): Promise<boolean> {
    const model = this.#awake();
    if (model === undefined || this.#lasting.size > 0 || !(await this.#kill(model))) return false;
    const again = new WorkerModel(await this.#options.world.worker());
    this.#workers.add(again);
    for (const [slot, { value }] of model.records)
      await this.#do(again, { op: "register", slot, value });
    return true;
  }

  async #freeze(): Promise<boolean> {
    const model = this.#awake();
    if (model?.worker.freeze === undefined) return false;
    model.worker.freeze();
    model.frozen = true;
    return true;
  }

  async #restartReader(): Promise<boolean> {
    if (this.#lasting.size > 0) return false;
    const [old] = this.#readers.splice(this.#random.below(this.#readers.length), 1);
    if (old === undefined) return false;
    for (const wire of old.shown) this.#shown.add(wire);
    await old.close();
    this.#readers.push(await Reader.start(await this.#options.world.reader()));
    return true;
  }

  async #fail(fault: Fault): Promise<boolean> {
    if (this.#lasting.has(fault)) return false;
    if (fault.end) this.#lasting.add(fault);
    await fault.begin((limit) => this.#random.below(limit));
    return true;
  }

  /** Ends what lasts, and compares: while the frozen are taken for dead, and when they are back. */
  async #check(): Promise<void> {
    for (const fault of this.#lasting) await fault.end?.();
    for (const reader of this.#readers) reader.resume();
    const frozen = [...this.#workers].filter((model) => model.frozen);
    await this.#makeCertain();
    await this.#agree();
    for (const model of frozen) {
      model.worker.thaw?.();
      model.frozen = false;
    }
    await this.#makeCertain();
    if (frozen.length > 0) await this.#agree();
    this.#tally.comparisons = (this.#tally.comparisons ?? 0) + 1;
  }

  /** Does again what failed on its way, where somebody is awake to do it. */
  async #makeCertain(): Promise<void> {
    this.#lasting.clear();
    for (const model of [...this.#workers].filter(({ frozen }) => !frozen))
      for (const slot of [...model.uncertain]) {
        await this.#do(model, { op: "unregister", slot, value: 0 });
        await this.#do(model, { op: "register", slot, value: ++this.#value });
      }
  }

  async #agree(): Promise<void> {
    await agreement(this.#options.world, this.#readers, expectedRecords(this.#workers));
  }
}
