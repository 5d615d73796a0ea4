import {
  list,
  type Outline,
  type PluginEntry,
  type PluginReference,
  record,
  type SourceEntry,
} from "./outline.ts";
import type { ConfigPath, Report } from "./report.ts";

/** What `injectDefaults` adds. */
const metricsSource = "metrics-data-source";
const coreExtractor = "core-metrics-extractor";
const loraExtractor = "lora-extractor";
const defaultTypes: readonly string[] = [metricsSource, coreExtractor, loraExtractor];

/** What {@link injectDefaults} needs to know beside the outline. */
export interface InjectionContext {
  /** Whether a plugin of that type can be made. */
  readonly has: (type: string) => boolean;
  readonly report: Report;
}

/**
 * Adds the metrics source, the core extractor and the LoRA extractor where no source or extractor of
 * their type is wired up; plugins that are declared but wired up nowhere are taken first. A source
 * without extractors gets them; so does the first of several. llm-d's core extractor reads LoRA too,
 * ours leaves it to the LoRA extractor: so `loraSpec` and what chooses the engine are handed over.
 */
export function injectDefaults(outline: Outline, context: InjectionContext): Outline {
  const draft = new Draft(outline);
  if (outline.injectDefaults) {
    draft.declareReferred();
    if (draft.coreSource() === undefined) draft.bind(coreExtractor, draft.metricsSource());
  }
  const source = draft.coreSource();
  if (source !== undefined && (outline.injectDefaults || draft.hasLoraSpec()))
    if (draft.canMake(loraExtractor, context)) draft.bind(loraExtractor, source);
  draft.handLoraOver(context.report);
  return { ...outline, plugins: draft.plugins, sources: draft.sources };
}

interface DraftSource extends SourceEntry {
  readonly extractors: PluginReference[];
}

class Draft {
  readonly plugins: PluginEntry[];
  readonly sources: DraftSource[];
  readonly #discovery: readonly PluginReference[];

  constructor(outline: Outline) {
    this.plugins = [...outline.plugins];
    this.sources = outline.sources.map((source) => ({
      ...source,
      extractors: [...source.extractors],
    }));
    this.#discovery = outline.discovery;
  }

  /** The default plugins may be referred to without an entry, as in llm-d. */
  declareReferred(): void {
    for (const { name, path } of this.#references())
      if (defaultTypes.includes(name) && this.#named(name) === undefined) this.#declare(name, path);
  }

  /** The source to which core metrics go: one without extractors, or the first. */
  metricsSource(): DraftSource {
    const found = this.sources.filter(({ name }) => this.#typeOf(name) === metricsSource);
    const chosen = found.find(({ extractors }) => extractors.length === 0) ?? found[0];
    if (chosen !== undefined) return chosen;
    const { name, path } = this.#unused(metricsSource) ?? this.#declare(metricsSource);
    const added: DraftSource = { name, path, extractors: [] };
    this.sources.push(added);
    return added;
  }

  coreSource(): DraftSource | undefined {
    return this.sources.find((source) => this.#bound(source, coreExtractor));
  }

  /** Makes sure that some source has an extractor of that type. */
  bind(type: string, source: DraftSource): void {
    if (this.sources.some((other) => this.#bound(other, type))) return;
    const { name, path } = this.#unused(type) ?? this.#declare(type);
    source.extractors.push({ name, path });
  }

  canMake(type: string, { has, report }: InjectionContext): boolean {
    if (has(type) || this.plugins.some((entry) => entry.type === type)) return true;
    report.warning([], `no plugin of type "${type}" is installed: LoRA adapters are not read`);
    return false;
  }

  hasLoraSpec(): boolean {
    const core = this.#boundEntry(coreExtractor);
    return core !== undefined && loraEngines(core).some(({ loraSpec }) => loraSpec !== undefined);
  }

  handLoraOver(report: Report): void {
    const core = this.#boundEntry(coreExtractor);
    const lora = this.#boundEntry(loraExtractor);
    if (core === undefined || lora === undefined) return;
    const { engineLabelKey, defaultEngine, engineConfigs } = record(core.parameters);
    if (Object.keys(record(lora.parameters)).length > 0) {
      if (this.hasLoraSpec())
        report.warning(
          [...core.path, "parameters", "engineConfigs"],
          `loraSpec is not used: "${lora.name}" has parameters of its own`,
        );
      return;
    }
    const parameters = {
      ...(engineLabelKey !== undefined && { engineLabelKey }),
      ...(defaultEngine !== undefined && { defaultEngine }),
      ...(engineConfigs !== undefined && { engineConfigs: loraEngines(core) }),
    };
    if (Object.keys(parameters).length === 0) return;
    const index = this.plugins.indexOf(lora);
    // problems of the parameters are to be found where the user wrote them
    this.plugins[index] = { ...lora, parameters, path: core.path };
  }

  #references(): PluginReference[] {
    return [...this.#discovery, ...this.sources.flatMap((s) => [s, ...s.extractors])];
  }

  #named(name: string): PluginEntry | undefined {
    return this.plugins.find((entry) => entry.name === name);
  }

  #typeOf(name: string): string | undefined {
    return this.#named(name)?.type;
  }

  #bound(source: SourceEntry, type: string): boolean {
    return source.extractors.some(({ name }) => this.#typeOf(name) === type);
  }

  #boundEntry(type: string): PluginEntry | undefined {
    const bound = this.sources.flatMap(({ extractors }) => extractors);
    const reference = bound.find(({ name }) => this.#typeOf(name) === type);
    return reference && this.#named(reference.name);
  }

  #unused(type: string): PluginEntry | undefined {
    const used = new Set(this.#references().map(({ name }) => name));
    return this.plugins.find((entry) => entry.type === type && !used.has(entry.name));
  }

  #declare(type: string, path: ConfigPath = []): PluginEntry {
    const taken = this.#named(type) !== undefined;
    const entry: PluginEntry = {
      ...{ path, type, name: taken ? `injected-${type}` : type },
      ...{ package: undefined, parameters: {}, injected: true },
    };
    this.plugins.push(entry);
    return entry;
  }
}

/** What the LoRA extractor wants of the core extractor's engines. */
function loraEngines({ parameters }: PluginEntry): { name: unknown; loraSpec?: unknown }[] {
  return list(record(parameters).engineConfigs).map((engine) => {
    const { name, loraSpec } = record(engine);
    return { name, ...(loraSpec !== undefined && { loraSpec }) };
  });
}
