import { isMusterError, type PluginDefinition } from "@muster/core";
import { loadPackage, type PluginPackage } from "../loader/load-package.ts";
import { createPluginRegistry, type PluginRegistry } from "../registry/plugin-registry.ts";
import type { PluginEntry } from "./outline.ts";
import type { Report } from "./report.ts";

/**
 * The definitions that one configuration can use: those of the registry and those of the packages it
 * names. The registry itself is left as it is.
 */
export class DefinitionCatalogue {
  readonly #byType = new Map<string, PluginDefinition>();
  /** Which package brought a type. */
  readonly #packages = new Map<string, string>();
  readonly #loaded = new Map<string, PluginPackage | undefined>();
  readonly #file: string;
  readonly #report: Report;

  constructor(registry: PluginRegistry, options: { file: string; report: Report }) {
    this.#file = options.file;
    this.#report = options.report;
    for (const type of registry.types()) {
      const definition = registry.get(type);
      if (definition !== undefined) this.#byType.set(type, definition);
    }
  }

  get(type: string): PluginDefinition | undefined {
    return this.#byType.get(type);
  }

  packageOf(type: string): string | undefined {
    return this.#packages.get(type);
  }

  /** For what comes later: suggestions, default sources. */
  toRegistry(): PluginRegistry {
    return createPluginRegistry([...this.#byType.values()]);
  }

  /** Loads the package an entry names, if it names one; each package once. */
  async load(entry: PluginEntry): Promise<void> {
    const specifier = entry.package;
    if (specifier === undefined) return;
    if (!this.#loaded.has(specifier)) {
      const found = await this.#import(specifier, entry);
      this.#loaded.set(specifier, found);
      for (const definition of found?.definitions ?? []) this.#add(definition, specifier, entry);
    }
    const loaded = this.#loaded.get(specifier);
    if (loaded === undefined || loaded.definitions.some(({ type }) => type === entry.type)) return;
    const types = loaded.definitions.map(({ type }) => type).join(", ");
    this.#report.problem(
      [...entry.path, "type"],
      `package "${specifier}" has no plugin of type "${entry.type}"; it has: ${types || "none"}`,
      { code: "PLUGIN_UNKNOWN" },
    );
  }

  /** Whether an entry's package was asked for and is not there: reported once, when loading. */
  isMissing({ package: specifier, type }: PluginEntry): boolean {
    if (specifier === undefined) return false;
    return !this.#loaded.get(specifier)?.definitions.some((definition) => definition.type === type);
  }

  async #import(specifier: string, entry: PluginEntry): Promise<PluginPackage | undefined> {
    try {
      return await loadPackage(specifier, this.#file);
    } catch (error) {
      if (!isMusterError(error)) throw error;
      const { code, message } = error;
      this.#report.problem([...entry.path, "package"], message, { code, cause: error });
      return undefined;
    }
  }

  #add(definition: PluginDefinition, specifier: string, entry: PluginEntry): void {
    const { type } = definition;
    const path = [...entry.path, "package"];
    const other = this.#packages.get(type);
    if (other !== undefined && this.#byType.get(type) !== definition) {
      this.#report.problem(
        path,
        `packages "${other}" and "${specifier}" both have the type "${type}"`,
        {
          code: "PLUGIN_DUPLICATE",
        },
      );
      return;
    }
    const known = this.#byType.get(type);
    if (known !== undefined && known !== definition)
      this.#report.warning(
        path,
        `type "${type}" is taken from "${specifier}", not from the built-in plugin`,
      );
    this.#byType.set(type, definition);
    this.#packages.set(type, specifier);
  }
}
