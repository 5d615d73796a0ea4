import { type AttributeKey, attributeKey } from "@muster/core";
import { type MetricSpec, parseMetricSpec } from "@muster/core/prometheus";
import { type EngineDefinition, type EngineField, engineFields } from "./engine-definition.ts";

/** Where a number is: the value of a series, or one of its labels. */
export interface CompiledSource {
  readonly spec: MetricSpec;
  readonly label: string | undefined;
}

/** A definition with its specs read, ready for the hot path. */
export interface CompiledEngine {
  readonly name: string;
  /** One list for each of {@link engineFields}; empty where the engine has no such field. */
  readonly fields: readonly (readonly CompiledSource[])[];
  readonly markers: readonly CompiledSource[];
  readonly custom: readonly { readonly key: AttributeKey<number>; readonly spec: MetricSpec }[];
  readonly rankLabels: readonly string[];
  /** Labels by which series are told apart and added up: ranks, then models. */
  readonly groupBy: readonly string[];
  readonly detected: boolean;
}

/**
 * Reads a definition's specs.
 *
 * @throws MusterError CONFIG_INVALID for a spec that cannot be read.
 */
export function compileEngine(definition: EngineDefinition): CompiledEngine {
  const { rankLabels = ["engine", "dp_rank"], modelLabels = [] } = definition;
  return {
    name: definition.name,
    fields: engineFields.map((field) => (definition.fields[field] ?? []).map(compileSource)),
    markers: (definition.markers ?? []).map(compileSource),
    custom: (definition.customMetrics ?? []).map((custom) => ({
      key: attributeKey(custom.attributeKey, isNumber),
      spec: parseMetricSpec(custom.metricSpec),
    })),
    rankLabels,
    groupBy: [...rankLabels, ...modelLabels],
    detected: definition.detected ?? true,
  };
}

/** Every family the engines can want, each once. */
export function familiesOf(engines: Iterable<CompiledEngine>): readonly string[] {
  const names = new Set<string>();
  for (const { fields, markers, custom } of engines)
    for (const { spec } of [...fields.flat(), ...markers, ...custom]) names.add(spec.name);
  return [...names];
}

/** What a slot of an engine is called in reports: its fields, then its custom metrics. */
export function slotName(engine: CompiledEngine, slot: number): string {
  return engineFields[slot] ?? engine.custom[slot - engineFields.length]?.key.name ?? "";
}

/** Whether an engine's pages should have the slot's metric. */
export function isExpected(engine: CompiledEngine, slot: number): boolean {
  return slot >= engineFields.length || engine.fields[slot]?.length !== 0;
}

/** The slot of a field. */
export function slotOf(field: EngineField): number {
  return engineFields.indexOf(field);
}

function compileSource(
  source: NonNullable<EngineDefinition["fields"][EngineField]>[number],
): CompiledSource {
  if (typeof source === "string") return { spec: parseMetricSpec(source), label: undefined };
  return { spec: parseMetricSpec(source.spec), label: source.label };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
