import {
  type AnyExtractor,
  type DataSource,
  equalGroupVersionKind,
  formatGroupVersionKind,
  formatTypedName,
  type GroupVersionKind,
  MusterError,
  type MusterErrorCode,
  type TypedName,
} from "@muster/core";
import { checkExtractor, checkFit, checkSource } from "./check-plugin.ts";
import type { SourceBinding, WiredExtractor } from "./wiring.ts";

/** A source of the plan; extractors are bound to it here, and to the source itself only later. */
export interface PlannedSource {
  readonly source: DataSource;
  readonly origin: "configured" | "default";
  readonly owner: TypedName | undefined;
  readonly extractors: WiredExtractor[];
}

/** Which sources {@link SourcePlan.ofType} gives. */
export interface SourceFilter {
  readonly variant?: DataSource["variant"] | undefined;
  /** Applies to notification sources. */
  readonly gvk?: GroupVersionKind | undefined;
}

/** The sources wired so far. Touches no plugin: what is wrong becomes a problem. */
export class SourcePlan {
  readonly sources: PlannedSource[] = [];
  readonly #problems: MusterError[];
  /** Types of sources that were refused: who needs one of them is not to blame. */
  readonly #refused = new Set<string>();

  constructor(problems: MusterError[]) {
    this.#problems = problems;
  }

  /**
   * Adds a source of the user's and its extractors, those appended to it before included. Gives the
   * problems that this made.
   */
  addConfigured(binding: SourceBinding): readonly MusterError[] {
    const before = this.#problems.length;
    this.#addConfigured(binding);
    return this.#problems.slice(before);
  }

  #addConfigured({ source, extractors: declared = [] }: SourceBinding): void {
    const problem = checkSource(source);
    if (problem !== undefined) {
      if (typeof source?.typedName?.type === "string") this.refuse(source.typedName.type);
      this.#problems.push(problem);
      return;
    }
    const extractors: WiredExtractor[] = [];
    const planned = { source, origin: "configured", owner: undefined, extractors } as const;
    const appended: readonly AnyExtractor[] = source.variant === "polling" ? source.extractors : [];
    for (const extractor of [...appended, ...declared.filter((one) => !appended.includes(one))])
      this.#bindConfigured(planned, extractor);
    this.#add(planned);
  }

  /** Adds a checked source that a registration brought; `undefined` when it is refused. */
  addDefault(source: DataSource, owner: TypedName): PlannedSource | undefined {
    const planned: PlannedSource = { source, origin: "default", owner, extractors: [] };
    return this.#add(planned) ? planned : undefined;
  }

  ofType(type: string, filter: SourceFilter = {}): PlannedSource[] {
    const { variant, gvk } = filter;
    return this.sources.filter(
      ({ source }) =>
        source.typedName.type === type &&
        (variant === undefined || source.variant === variant) &&
        (gvk === undefined ||
          source.variant !== "notification" ||
          equalGroupVersionKind(source.gvk, gvk)),
    );
  }

  refuse(type: string): void {
    this.#refused.add(type);
  }

  isRefused(type: string): boolean {
    return this.#refused.has(type);
  }

  #add(planned: PlannedSource): boolean {
    const problem = this.#collision(planned.source);
    if (problem === undefined) {
      this.sources.push(planned);
      return true;
    }
    this.#problems.push(problem);
    this.refuse(planned.source.typedName.type);
    return false;
  }

  #bindConfigured(planned: PlannedSource, extractor: AnyExtractor): void {
    const problem =
      checkExtractor(extractor) ??
      duplicate(planned, extractor) ??
      checkFit(planned.source, extractor);
    if (problem !== undefined) this.#problems.push(problem);
    else planned.extractors.push({ extractor, origin: "configured", owner: extractor.typedName });
  }

  #collision(source: DataSource): MusterError | undefined {
    const { type } = source.typedName;
    for (const { source: other } of this.sources) {
      const both = `${formatTypedName(other.typedName)} and ${formatTypedName(source.typedName)}`;
      const clash = (code: MusterErrorCode, text: string): MusterError =>
        new MusterError(code, text, { plugin: source.typedName });
      if (other.typedName.type === type && other.variant !== source.variant)
        return clash(
          "SOURCE_COLLISION",
          `source type "${type}" comes in two variants, ${other.variant} and ${source.variant}: ${both}`,
        );
      if (
        other.variant === "notification" &&
        source.variant === "notification" &&
        equalGroupVersionKind(other.gvk, source.gvk)
      )
        return clash(
          "SOURCE_COLLISION",
          `two notification sources for ${formatGroupVersionKind(source.gvk)}: ${both}; keep one`,
        );
      if (other.typedName.type === type && other.typedName.name === source.typedName.name)
        return clash(
          "PLUGIN_DUPLICATE",
          `two sources are called ${formatTypedName(source.typedName)}; give one another name`,
        );
    }
    return undefined;
  }
}

function duplicate(planned: PlannedSource, extractor: AnyExtractor): MusterError | undefined {
  const { type } = extractor.typedName;
  const first = planned.extractors.find((bound) => bound.extractor.typedName.type === type);
  if (first === undefined) return undefined;
  return new MusterError(
    "EXTRACTOR_DUPLICATE",
    `source ${formatTypedName(planned.source.typedName)} has two extractors of type "${type}": ` +
      `${formatTypedName(first.extractor.typedName)} and ${formatTypedName(extractor.typedName)}; keep one`,
    { plugin: extractor.typedName },
  );
}
