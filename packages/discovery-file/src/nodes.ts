import { MusterError } from "@muster/core";
import { type Alias, type Document, isAlias, type Node, visit } from "yaml";
import { maxAliases } from "./limits.ts";
import type { SourceText } from "./source-text.ts";

/** A value of the document that is no alias; `undefined` for null. */
export type Resolved = Exclude<Node, Alias> | undefined;

/**
 * Follows aliases. The library's own way walks the whole document for each; this one walks it once,
 * and only when there is an alias.
 */
export class NodeResolver {
  readonly #document: Document.Parsed;
  readonly #source: SourceText;
  #targets: ReadonlyMap<Alias, Node> | undefined;
  #used = 0;

  constructor(document: Document.Parsed, source: SourceText) {
    this.#document = document;
    this.#source = source;
  }

  /**
   * The node itself, or the one an alias stands for.
   *
   * @throws MusterError DISCOVERY_PARSE for an alias without anchor; DISCOVERY_TOO_LARGE for too
   *   many aliases, so that a small file cannot stand for a huge one
   */
  resolve(node: unknown): Resolved {
    if (!isAlias(node)) return (node ?? undefined) as Resolved;
    const path = this.#source.position(node.range?.[0] ?? 0);
    if (++this.#used > maxAliases)
      throw new MusterError(
        "DISCOVERY_TOO_LARGE",
        `aliases are used more than ${maxAliases} times`,
        {
          path,
        },
      );
    this.#targets ??= aliasTargets(this.#document);
    const target = this.#targets.get(node);
    if (target === undefined || isAlias(target))
      throw new MusterError("DISCOVERY_PARSE", `alias *${node.source} has no anchor before it`, {
        path,
      });
    return target;
  }
}

/** For each alias the last node before it that carries its anchor (YAML 1.2, section 7.1). */
function aliasTargets(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}
