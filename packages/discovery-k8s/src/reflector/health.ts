import { type Logger, type MusterError, messageOf, type PluginContext } from "@muster/core";
import {
  type ReflectorInstruments,
  type ReflectorLabels,
  reflectorInstruments,
} from "./instruments.ts";
import type { ReflectorState } from "./reflector-event.ts";

/** Who is told that a resource cannot be followed, and with undefined that it can again. */
export type OnInterruption = (problem: MusterError | undefined) => void;

/** How a reflector is doing: its state, its metrics, its lines in the log. */
export class Health {
  readonly #instruments: ReflectorInstruments;
  readonly #labels: ReflectorLabels;
  readonly #logger: Logger;
  readonly #now: () => number;
  #objects = 0;
  #lastSync: number | undefined;
  #restarts = 0;
  #errors = 0;
  #malformed = 0;
  #resourceVersion: string | undefined;
  #problem: MusterError | undefined;

  constructor({ metrics, logger, clock }: PluginContext, labels: ReflectorLabels) {
    this.#instruments = reflectorInstruments(metrics);
    this.#labels = labels;
    this.#logger = logger;
    this.#now = () => clock.now();
  }

  get state(): ReflectorState {
    return {
      objects: this.#objects,
      lastSync: this.#lastSync,
      restarts: this.#restarts,
      errors: this.#errors,
      malformed: this.#malformed,
      resourceVersion: this.#resourceVersion,
      problem: this.#problem,
    };
  }

  /** A list is complete. */
  listed(objects: number, resourceVersion: string): void {
    const now = this.#now();
    this.#lastSync = now;
    this.#instruments.lists.add(1, this.#labels);
    this.#instruments.lastSync.set(now / 1000, this.#labels);
    this.progressed(objects, resourceVersion);
  }

  /** A watch begins. */
  watching(): void {
    this.#instruments.watches.add(1, this.#labels);
  }

  /** Where the watch is. */
  progressed(objects: number, resourceVersion: string): void {
    if (objects !== this.#objects || this.#resourceVersion === undefined)
      this.#instruments.objects.set(objects, this.#labels);
    this.#objects = objects;
    if (resourceVersion === this.#resourceVersion) return;
    this.#resourceVersion = resourceVersion;
    const revision = Number(resourceVersion);
    if (Number.isFinite(revision)) this.#instruments.revision.set(revision, this.#labels);
  }

  malformed(): void {
    this.#malformed += 1;
    this.#instruments.malformed.add(1, this.#labels);
  }

  /** Everything has to be listed again. */
  restarted(): void {
    this.#restarts += 1;
    this.#instruments.restarts.add(1, this.#labels);
  }

  /** A list or a watch failed. */
  failed(problem: MusterError): void {
    this.#errors += 1;
    this.#instruments.errors.add(1, { ...this.#labels, code: problem.code });
  }

  /** It cannot be followed; one line per change of what is wrong. */
  interrupted(problem: MusterError, tell: OnInterruption | undefined): void {
    const repeated = this.#problem?.code === problem.code;
    this.#problem = problem;
    const fields = { ...this.#labels, code: problem.code, error: problem.message };
    if (repeated) this.#logger.debug(fields, "the Kubernetes resource still cannot be followed");
    else this.#logger.warn(fields, "the Kubernetes resource cannot be followed; trying again");
    this.#tell(tell, problem);
  }

  /** It is followed. */
  followed(tell: OnInterruption | undefined): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#logger.info(this.#labels, "the Kubernetes resource is followed again");
    this.#tell(tell, undefined);
  }

  /** Nothing is followed any more: gauges would keep saying what was. */
  ended(): void {
    const { objects, lastSync, revision } = this.#instruments;
    for (const gauge of [objects, lastSync, revision]) gauge.remove(this.#labels);
    this.#resourceVersion = undefined;
  }

  #tell(tell: OnInterruption | undefined, problem: MusterError | undefined): void {
    try {
      tell?.(problem);
    } catch (error) {
      this.#logger.error(
        { ...this.#labels, error: messageOf(error) },
        "a reader failed when told of an interruption",
      );
    }
  }
}
