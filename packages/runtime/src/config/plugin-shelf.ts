import type { Plugin, PluginDefinition, PluginKind } from "@muster/core";
import { didYouMean } from "../registry/suggest.ts";
import { describeUnknownType } from "../registry/unknown-type.ts";
import type { DefinitionCatalogue } from "./definition-catalogue.ts";
import type { LoadedPlugin } from "./loaded-config.ts";
import { type MakePluginContext, makePlugin } from "./make-plugin.ts";
import type { PluginEntry, PluginReference } from "./outline.ts";

/** A declared plugin. */
export interface ShelvedPlugin {
  readonly entry: PluginEntry;
  /** `undefined`: nobody knows its type. */
  readonly definition: PluginDefinition | undefined;
  /** `undefined`: it could not be made, which was reported, or its type is unknown. */
  readonly instance: Plugin | undefined;
  use: LoadedPlugin["use"];
}

/** What a reference may point to. */
type Role = "discovery" | "source" | "extractor";

/** A generic plugin may be an extractor too, as llm-d's scorers are. */
const fitting: Readonly<Record<Role, readonly PluginKind[]>> = {
  discovery: ["discovery"],
  source: ["source"],
  extractor: ["extractor", "generic"],
};

/** The plugins of one configuration by name. */
export class PluginShelf {
  readonly #byName = new Map<string, ShelvedPlugin>();
  readonly #catalogue: DefinitionCatalogue;
  readonly #context: MakePluginContext;

  constructor(catalogue: DefinitionCatalogue, context: MakePluginContext) {
    this.#catalogue = catalogue;
    this.#context = context;
  }

  get plugins(): readonly ShelvedPlugin[] {
    return [...this.#byName.values()];
  }

  /** Those whose type nobody knows and to which nothing refers. */
  get unknown(): readonly ShelvedPlugin[] {
    return this.plugins.filter(({ definition, use }) => !definition && use === "unused");
  }

  /** Those that were made, for people. */
  get loaded(): readonly LoadedPlugin[] {
    return this.plugins.flatMap(({ entry, definition, instance, use }) => {
      if (definition === undefined || instance === undefined) return [];
      const specifier = this.#catalogue.packageOf(entry.type);
      return [
        {
          ...{ typedName: instance.typedName, kind: definition.kind, use },
          ...(specifier !== undefined && { package: specifier }),
          ...(entry.injected !== true && { place: this.#context.report.place(entry.path) }),
        },
      ];
    });
  }

  /** Makes the plugin of an entry. */
  async add(entry: PluginEntry): Promise<void> {
    if (this.#byName.has(entry.name)) {
      this.#context.report.problem(
        entry.path,
        `two plugins are named "${entry.name}"; give one another name`,
        { code: "PLUGIN_DUPLICATE" },
      );
      return;
    }
    const missing = this.#catalogue.isMissing(entry);
    const definition = missing ? undefined : this.#catalogue.get(entry.type);
    const instance = definition && (await makePlugin(entry, definition, this.#context));
    this.#byName.set(entry.name, { entry, definition, instance, use: "unused" });
    if (definition === undefined && !missing && (this.#context.strict || entry.injected))
      this.reportUnknown(entry);
  }

  /** The plugin a reference names; `undefined` when there is none of the right kind, reported. */
  find(reference: PluginReference, role: Role): ShelvedPlugin | undefined {
    const { report } = this.#context;
    const found = this.#byName.get(reference.name);
    if (found === undefined) {
      report.problem(reference.path, this.#describeUndeclared(reference.name), {
        code: "PLUGIN_UNKNOWN",
      });
      return undefined;
    }
    const { definition } = found;
    if (definition !== undefined && !fitting[role].includes(definition.kind)) {
      report.problem(
        reference.path,
        `plugin "${reference.name}" is of kind ${definition.kind}; here a plugin of kind ${role} is needed`,
      );
      return undefined;
    }
    return found;
  }

  /** PLUGIN_UNKNOWN at the `type` of an entry. */
  reportUnknown(entry: PluginEntry): void {
    const registry = this.#catalogue.toRegistry();
    const text = describeUnknownType(entry.type, registry);
    const why = entry.injected ? `injectDefaults needs "${entry.type}": ${text}` : text;
    this.#context.report.problem(entry.injected ? entry.path : [...entry.path, "type"], why, {
      code: "PLUGIN_UNKNOWN",
    });
  }

  #describeUndeclared(name: string): string {
    const text = `no plugin is named "${name}"`;
    if (this.#catalogue.get(name) !== undefined) return `${text}; add "- type: ${name}" to plugins`;
    return `${text}${didYouMean(name, this.#byName.keys())}`;
  }
}
