import type { EndpointWriter, MetricsPatch } from "@muster/core";
import { type EngineState, engineState } from "@muster/core/attributes";
import { type CompiledEngine, isExpected, slotName, slotOf } from "./compile.ts";
import { engineFields } from "./engine-definition.ts";
import { equalEngineState } from "./rank-view.ts";
import type { PageReading } from "./read-page.ts";
import type { MissingMetric, Reports } from "./reports.ts";

/** Polls in a row without a metric after which it is unknown; section 8 of the behaviour. */
const pollsToUnknown = 3;

const running = slotOf("runningRequestsSize");
const kv = slotOf("kvCacheUsagePercent");

/** What is remembered of one endpoint between its polls. */
export class EndpointMemory {
  engine: CompiledEngine | undefined;
  /** The label value that was last reported as unusable. */
  badLabel: string | undefined;
  /** By slot: polls in a row without a value, up to {@link pollsToUnknown}. */
  #misses = new Uint8Array();

  /** Writes a reading to the endpoint and reports what changed. */
  apply(endpoint: EndpointWriter, reading: PageReading, reports: Reports): void {
    const { engine } = reading;
    const changed = this.engine !== engine;
    if (changed) this.#changeEngine(endpoint, engine, reports);
    this.#count(endpoint.id, reading, reports);
    this.#writeFields(endpoint, reading, changed);
    this.#writeCustom(endpoint, reading);
    const current = endpoint.attributes.get(engineState);
    const next = changed ? reading.state : this.#bridged(current, reading.state);
    if (!equalEngineState(current, next)) endpoint.attributes.put(engineState, next);
  }

  #changeEngine(endpoint: EndpointWriter, engine: CompiledEngine, reports: Reports): void {
    const was = this.engine;
    this.engine = engine;
    this.#misses = new Uint8Array(engineFields.length + engine.custom.length);
    if (was === undefined) return;
    reports.engineChanged(endpoint.id, engine.name, was.name);
    for (const { key } of was.custom) endpoint.attributes.delete(key);
  }

  /** Counts misses; reports metrics at the poll that makes them unknown, or known again. */
  #count(endpointId: string, { engine, slots }: PageReading, reports: Reports): void {
    const lost: MissingMetric[] = [];
    const back: string[] = [];
    for (const [slot, result] of slots.entries()) {
      const before = this.#misses[slot] ?? 0;
      const known = typeof result === "number";
      const now = known ? 0 : Math.min(before + 1, pollsToUnknown);
      this.#misses[slot] = now;
      if ((before === pollsToUnknown) === (now === pollsToUnknown)) continue;
      if (!isExpected(engine, slot)) continue;
      if (known) back.push(slotName(engine, slot));
      else lost.push({ metric: slotName(engine, slot), reason: result });
    }
    if (lost.length > 0) reports.missing(endpointId, engine.name, lost);
    if (back.length > 0) reports.back(endpointId, engine.name, back);
  }

  #writeFields(endpoint: EndpointWriter, { slots }: PageReading, changed: boolean): void {
    const patch: { -readonly [Field in keyof MetricsPatch]: MetricsPatch[Field] } = {};
    let any = false;
    for (const [slot, field] of engineFields.entries()) {
      const result = slots[slot];
      if (typeof result === "number") patch[field] = result;
      else if (endpoint.metrics[field] !== undefined && (changed || this.#isUnknown(slot)))
        patch[field] = undefined;
      else continue;
      any = true;
    }
    if (any) endpoint.updateMetrics(patch);
  }

  #writeCustom(endpoint: EndpointWriter, { engine, slots }: PageReading): void {
    for (const [index, { key }] of engine.custom.entries()) {
      const slot = engineFields.length + index;
      const result = slots[slot];
      const current = endpoint.attributes.get(key);
      if (typeof result === "number") {
        if (result !== current) endpoint.attributes.put(key, result);
      } else if (current !== undefined && this.#isUnknown(slot)) endpoint.attributes.delete(key);
    }
  }

  #isUnknown(slot: number): boolean {
    return this.#misses[slot] === pollsToUnknown;
  }

  /** `kvMax` and `modelName` are kept as long as the fields they belong to; ranks are the page's. */
  #bridged(current: EngineState | undefined, next: EngineState): EngineState {
    if (current === undefined) return next;
    const kvMax = next.kvMax ?? (this.#isKept(kv) ? current.kvMax : null);
    const modelName = next.modelName ?? (this.#isKept(running) ? current.modelName : null);
    if (kvMax === next.kvMax && modelName === next.modelName) return next;
    return { ...next, kvMax, modelName };
  }

  /** Missing, but not yet for long enough to be unknown. */
  #isKept(slot: number): boolean {
    return this.#misses[slot] !== 0 && !this.#isUnknown(slot);
  }
}
