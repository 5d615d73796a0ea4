import {
  type AnyExtractor,
  type DataSource,
  type EndpointDiscovery,
  isRegistrant,
  type Plugin,
} from "@muster/core";
import { SourcePlan } from "../wiring/plan.ts";
import type { SourceBinding } from "../wiring/wiring.ts";
import type { Outline, PluginReference, SourceEntry } from "./outline.ts";
import type { PluginShelf, ShelvedPlugin } from "./plugin-shelf.ts";
import type { Report } from "./report.ts";

/** Who does what. */
export interface Bindings {
  readonly discovery: readonly EndpointDiscovery[];
  readonly sources: readonly SourceBinding[];
  readonly plugins: readonly Plugin[];
}

/** What {@link bindPlugins} works with. */
export interface BindContext {
  readonly shelf: PluginShelf;
  readonly report: Report;
  /** For a MusterConfig: an unknown type was reported already, wherever it is used. */
  readonly strict: boolean;
}

/** Follows the references of a configuration, and checks the wiring that they make. */
export function bindPlugins(outline: Outline, context: BindContext): Bindings {
  return new Binder(context).bind(outline);
}

class Binder {
  readonly #context: BindContext;

  constructor(context: BindContext) {
    this.#context = context;
  }

  bind(outline: Outline): Bindings {
    const discovery = this.#once(outline.discovery, "discovery").flatMap(
      ({ plugin }) => (plugin.instance as EndpointDiscovery | undefined) ?? [],
    );
    const plan = new SourcePlan([]);
    const sources = this.#once(outline.sources, "source").flatMap(({ reference, plugin }) =>
      this.#bindSource(reference, plugin, plan),
    );
    return { discovery, sources, plugins: this.#others() };
  }

  /** The plugins that references name; a second reference to one is a problem. */
  #once<R extends PluginReference>(
    references: readonly R[],
    role: "discovery" | "source",
  ): { reference: R; plugin: ShelvedPlugin }[] {
    return references.flatMap((reference) => {
      const plugin = this.#context.shelf.find(reference, role);
      if (plugin === undefined) return [];
      if (plugin.use !== "unused") {
        this.#context.report.problem(reference.path, `"${reference.name}" is there twice`, {
          code: "PLUGIN_DUPLICATE",
        });
        return [];
      }
      plugin.use = role;
      if (plugin.definition === undefined) this.#unknown(plugin);
      return [{ reference, plugin }];
    });
  }

  #bindSource(
    reference: SourceEntry,
    { instance }: ShelvedPlugin,
    plan: SourcePlan,
  ): SourceBinding[] {
    const source = instance as DataSource | undefined;
    const bound = reference.extractors.flatMap((extractor) =>
      this.#bindExtractor(extractor, source),
    );
    if (source === undefined) return [];
    const extractors = bound.map(({ instance: extractor }) => extractor);
    this.#checkWiring({ source, extractors }, { plan, reference, bound });
    return [{ source, extractors }];
  }

  #bindExtractor(reference: PluginReference, source: DataSource | undefined): BoundExtractor[] {
    const plugin = this.#context.shelf.find(reference, "extractor");
    if (plugin === undefined) return [];
    plugin.use = "extractor";
    if (plugin.definition === undefined && source !== undefined)
      this.#unknownExtractor(reference, plugin, source);
    const instance = plugin.instance as AnyExtractor | undefined;
    return instance === undefined ? [] : [{ reference, instance }];
  }

  /** A scheduler's plugin may listen to events; who polls, wants data that would be missing. */
  #unknownExtractor(reference: PluginReference, plugin: ShelvedPlugin, source: DataSource): void {
    if (this.#context.strict || source.variant === "polling") this.#unknown(plugin);
    else
      this.#context.report.warning(
        reference.path,
        `"${reference.name}" gets no events: no plugin of type "${plugin.entry.type}" is known here`,
      );
  }

  #unknown({ entry }: ShelvedPlugin): void {
    if (!this.#context.strict && !entry.injected) this.#context.shelf.reportUnknown(entry);
  }

  /** What the registrar will say of these bindings, said where they are written. */
  #checkWiring(binding: SourceBinding, { plan, reference, bound }: WiringPlace): void {
    const placed = plan.addConfigured(binding).map((problem) => {
      const extractor = bound.findLast(({ instance }) => instance.typedName === problem.plugin);
      return { problem, path: (extractor?.reference ?? reference).path };
    });
    // where something written is wrong, what was injected next to it is not to blame
    const written = placed.filter(({ path }) => path.length > 0);
    for (const { problem, path } of written.length > 0 ? written : placed) {
      const { code, message } = problem;
      this.#context.report.problem(path, message, { code, cause: problem });
    }
  }

  /** Plugins that no reference names: they run if they register their needs themselves. */
  #others(): Plugin[] {
    return this.#context.shelf.plugins.flatMap((plugin) => {
      const { instance, definition, entry, use } = plugin;
      if (instance === undefined || definition === undefined || use !== "unused") return [];
      const stands = definition.kind === "generic" || definition.kind === "object-watcher";
      if (stands || isRegistrant(instance)) {
        plugin.use = "plugin";
        return [instance];
      }
      this.#context.report.warning(
        entry.path,
        `plugin "${entry.name}" is declared and not used: name it in a pluginRef where it belongs, or remove it`,
      );
      return [];
    });
  }
}

interface BoundExtractor {
  readonly reference: PluginReference;
  readonly instance: AnyExtractor;
}

interface WiringPlace {
  readonly plan: SourcePlan;
  readonly reference: SourceEntry;
  readonly bound: readonly BoundExtractor[];
}
