import { isMusterError, type MusterError, messageOf } from "../errors.ts";
import type { StandardSchema } from "../standard-schema.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { ModelInstance } from "./model-instance.ts";
import { applyTaints } from "./model-taints.ts";
import { badCard } from "./validate-card.ts";

/** What is read from a model's card, and what happens to one that cannot be read. */
export interface FieldExtraction<Card, Value> {
  /** Reads the card; must be synchronous. */
  readonly schema: StandardSchema<unknown, Card>;
  readonly extract: (card: Card, model: ModelInstance) => Value;
  /** Called with PLANE_CARD for a card that is skipped; the record's old value stays. */
  readonly onSkipped?: ((problem: MusterError, model: ModelInstance) => void) | undefined;
}

interface FieldRecord<Value> {
  readonly model: ModelInstance;
  readonly value: Value;
}

/** The field of each instance, kept record by record: an instance has one for each of its adapters. */
export class FieldMap<Card, Value> {
  readonly #extraction: FieldExtraction<Card, Value>;
  readonly #baseOnly: boolean;
  readonly #instances = new Map<bigint, Map<string, FieldRecord<Value>>>();

  constructor(extraction: FieldExtraction<Card, Value>, baseOnly: boolean) {
    this.#extraction = extraction;
    this.#baseOnly = baseOnly;
  }

  /** Takes an event in; `Resync` says nothing that was not said before it. */
  apply(event: DiscoveryEvent): void {
    if (event.type === "Added") {
      if (event.instance.type === "Model") this.#add(event.instance);
    } else if (event.type === "Removed") this.#remove(event.id.instanceId, event.id.key);
    else if (event.type === "ModelTaintsUpdated") {
      const record = this.#instances.get(event.id.instanceId)?.get(event.id.key);
      if (record !== undefined) this.#add(applyTaints(record.model, event.taints));
    }
  }

  /** A copy: of each instance the value of its record that was added last. */
  snapshot(): ReadonlyMap<bigint, Value> {
    const values = new Map<bigint, Value>();
    for (const [instanceId, records] of this.#instances)
      for (const { value } of records.values()) values.set(instanceId, value);
    return values;
  }

  #add(model: ModelInstance): void {
    if (this.#baseOnly && model.modelSuffix !== undefined) return;
    const record = this.#read(model);
    if (record === undefined) return;
    const { key, instanceId } = model.id();
    const records = this.#instances.get(instanceId) ?? new Map<string, FieldRecord<Value>>();
    // to the end: it is the last one now
    records.delete(key);
    records.set(key, record);
    this.#instances.set(instanceId, records);
  }

  #remove(instanceId: bigint, key: string): void {
    const records = this.#instances.get(instanceId);
    if (records?.delete(key) === true && records.size === 0) this.#instances.delete(instanceId);
  }

  #read(model: ModelInstance): FieldRecord<Value> | undefined {
    const { schema, extract, onSkipped } = this.#extraction;
    try {
      const card = model.deserializeModel(schema);
      return { model, value: extract(card, model) };
    } catch (error) {
      const known = isMusterError(error) && error.code === "PLANE_CARD";
      const problem = `what reads it threw: ${messageOf(error)}`;
      onSkipped?.(known ? error : badCard(model, problem, error), model);
      return undefined;
    }
  }
}
