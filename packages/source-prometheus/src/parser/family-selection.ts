import { Buffer } from "node:buffer";
import type { MetricFamily } from "@muster/core/prometheus";
import { type FamilyAlias, familyAliases, splitSuffix } from "./metric-names.ts";
import { NameTrie } from "./name-trie.ts";

/** Which families a parser reads. Compiled once and shared by the parsers of all endpoints. */
export interface FamilySelection {
  /** As asked for, sorted, each once; `["*"]` for all. */
  readonly families: readonly string[];
}

/** Compiles family names for `createPageParser`; `*` among them selects all families. */
export function selectFamilies(families: Iterable<string>): FamilySelection {
  return new CompiledSelection(families);
}

/** The families of one page by name. */
export type FamilyMap = ReadonlyMap<string, MetricFamily>;

/** The selection as the parser uses it. */
export class CompiledSelection implements FamilySelection {
  readonly families: readonly string[];
  readonly all: boolean;
  /** The names asked for, with the other names each may have on a page. */
  readonly #wanted = new Map<string, readonly FamilyAlias[]>();
  /** By such another name: the names asked for. */
  readonly #wantedBy = new Map<string, string[]>();
  /** All of those, and the families that would claim one of them as a sample of their own. */
  readonly #related = new Set<string>();
  readonly #trie: NameTrie;

  constructor(families: Iterable<string>) {
    const names = [...new Set(families)].sort();
    this.all = names.includes("*");
    this.families = Object.freeze(this.all ? ["*"] : names);
    if (!this.all) for (const name of names) this.#want(name);
    const bytes = Array.from(this.#related, (name) => Buffer.from(name).toString("latin1"));
    this.#trie = new NameTrie(bytes);
  }

  /** Whether a name of interest may begin at `start`: cheap, and never wrong when it says no. */
  mayBeAt(bytes: Uint8Array, start: number): boolean {
    return this.all || this.#trie.prefixAt(bytes, start);
  }

  /** Whether lines of this name bear on a wanted family. */
  includes(name: string): boolean {
    if (this.all || this.#related.has(name)) return true;
    const base = splitSuffix(name)?.base;
    return base !== undefined && (this.#wanted.has(base) || this.#wantedBy.has(base));
  }

  /** The wanted ones among the families of a page, in its order. */
  restrict(families: FamilyMap): FamilyMap {
    if (this.all) return families;
    const kept = new Map<string, MetricFamily>();
    for (const [name, family] of families) {
      const askedAs = this.#wantedBy.get(name);
      if (this.#wanted.has(name) || askedAs?.some((other) => this.find(families, other) === family))
        kept.set(name, family);
    }
    return kept;
  }

  /** The family of that name, else the counter or info that has it with or without its suffix. */
  find(families: FamilyMap, name: string): MetricFamily | undefined {
    const exact = families.get(name);
    if (exact !== undefined) return exact;
    for (const alias of this.#wanted.get(name) ?? familyAliases(name)) {
      const family = families.get(alias.name);
      if (family?.type === alias.type) return family;
    }
    return undefined;
  }

  #want(name: string): void {
    const aliases = familyAliases(name);
    this.#wanted.set(name, aliases);
    this.#relate(name);
    for (const alias of aliases) {
      this.#relate(alias.name);
      const askedAs = this.#wantedBy.get(alias.name);
      if (askedAs === undefined) this.#wantedBy.set(alias.name, [name]);
      else askedAs.push(name);
    }
  }

  #relate(candidate: string): void {
    this.#related.add(candidate);
    const base = splitSuffix(candidate)?.base;
    if (base !== undefined) this.#related.add(base);
  }
}
