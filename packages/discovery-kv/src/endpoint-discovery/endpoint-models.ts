import { MusterError, toMusterError } from "@muster/core";
import type { RegisteredModels } from "@muster/core/attributes";
import type { ModelInstance } from "@muster/core/plane";
import type { Reporter } from "./reporter.ts";
import { readModel, registeredModelsOf, type ServedModel } from "./served-models.ts";

/** Models and adapters of one endpoint. */
const maxModels = 1000;

/** The records of models of one endpoint, by their keys. */
export class EndpointModels {
  readonly #reporter: Reporter;
  /** `served` is undefined for one that cannot be used. */
  readonly #models = new Map<
    string,
    { instance: ModelInstance; served: ServedModel | undefined }
  >();
  /** Those that are too many: the first of them takes the place of one that leaves. */
  readonly #spare = new Map<string, ModelInstance>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  /** How many count, those that cannot be used included. */
  get size(): number {
    return this.#models.size;
  }

  /** Keys of all records. */
  keys(): string[] {
    // first those that would only move up for others that leave, too
    return [...this.#spare.keys(), ...this.#models.keys()];
  }

  /** Adds a record, or replaces it; returns whether that changes what is served. */
  put(instance: ModelInstance): boolean {
    const { key } = instance.id();
    if (this.#models.size < maxModels || this.#models.has(key)) return this.#take(key, instance);
    this.#spare.set(key, instance);
    const message = `the endpoint has ${maxModels} models already`;
    this.#reporter.problem(key, new MusterError("PLANE_CARD", message));
    return false;
  }

  /** Removes a record; returns whether that changes what is served. */
  drop(key: string): boolean {
    if (!this.#models.delete(key)) {
      if (this.#spare.delete(key)) this.#reporter.solved(key);
      return false;
    }
    this.#reporter.solved(key);
    const [next] = this.#spare;
    if (next !== undefined) {
      this.#spare.delete(next[0]);
      this.#take(...next);
    }
    return true;
  }

  /** What is served; objects that have not changed are the same. */
  registered(): RegisteredModels | undefined {
    return registeredModelsOf([...this.#models.values()].flatMap(({ served }) => served ?? []));
  }

  #take(key: string, instance: ModelInstance): boolean {
    const known = this.#models.get(key);
    if (known?.instance.equals(instance)) return false;
    let served: ServedModel | undefined;
    try {
      served = readModel(instance);
      this.#reporter.solved(key);
    } catch (error) {
      this.#reporter.problem(key, toMusterError(error, "PLANE_CARD"));
    }
    const same = JSON.stringify(known?.served) === JSON.stringify(served);
    this.#models.set(key, { instance, served: same ? known?.served : served });
    return !same;
  }
}
