import { setImmediate } from "node:timers/promises";
import { MusterError, toMusterError } from "@muster/core";
import { Composer, type CST, type Document, Lexer, Parser } from "yaml";
import { maxDepth, maxSyntaxErrors, maxTokens } from "./limits.ts";
import type { SourceText } from "./source-text.ts";

/** A document, and what in it looked odd (unknown tags and directives). */
export interface Syntax {
  readonly document: Document.Parsed;
  readonly warnings: readonly SyntaxNote[];
}

/** A remark of the parser. */
export interface SyntaxNote {
  readonly offset: number;
  readonly message: string;
}

/** Where the library found an error. */
type Where = number | readonly [number, ...number[]] | { readonly offset: number };

/** After how many tokens other work gets its turn: some milliseconds of parsing. */
const tokensPerTurn = 5_000;

/**
 * Parses YAML, of which JSON is a part; `undefined` for a text without content. Gives way to other
 * work now and then, since a file of 50,000 entries takes seconds.
 *
 * @throws MusterError DISCOVERY_PARSE at the first error, with all (20 at most) as `problems`;
 *   DISCOVERY_TOO_LARGE for too many tokens
 */
export async function parseSyntax(source: SourceText): Promise<Syntax | undefined> {
  const tokens = await parseTokens(source);
  try {
    return compose(source, tokens);
  } catch (error) {
    // whatever the library may throw instead of reporting it, such as running out of stack
    throw toMusterError(error, "DISCOVERY_PARSE", { path: source.position(0) });
  }
}

async function parseTokens(source: SourceText): Promise<CST.Token[]> {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const errors = new SyntaxErrors(source);
  const take = (parsed: Iterable<CST.Token>): void => {
    for (const token of parsed) {
      tokens.push(token);
      if (token.type === "error") errors.add(token.offset, token.message);
    }
  };
  let count = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    take(parser.next(lexeme));
    // composing recurses: deeper nesting would end the process, or the stack at best
    if (parser.stack.length > maxDepth) {
      errors.add(parser.offset, `nested deeper than ${maxDepth} levels`);
      errors.throwIfAny();
    }
    if (++count > maxTokens)
      throw new MusterError(
        "DISCOVERY_TOO_LARGE",
        `more than ${maxTokens} YAML tokens; a file of that many brackets, commas or lines is not read`,
        { path: source.file },
      );
    if (count % tokensPerTurn === 0) await setImmediate();
  }
  take(parser.end());
  errors.throwIfAny();
  return tokens;
}

function compose(source: SourceText, tokens: CST.Token[]): Syntax | undefined {
  const composer = new Composer({
    // fields.ts finds duplicates itself: the library compares each key with all before it
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  const errors = new SyntaxErrors(source);
  const warnings: SyntaxNote[] = [];
  // Takes the place of a collector without bound, which a file of commas would fill the memory with.
  // biome-ignore lint/complexity/useLiteralKeys: brackets reach the member, which is marked private
  composer["onError"] = (where: Where, _code: string, message: string, warning?: boolean) => {
    const offset = typeof where === "number" ? where : "offset" in where ? where.offset : where[0];
    if (!warning) errors.add(offset, message);
    else if (warnings.length < maxSyntaxErrors) warnings.push({ offset, message });
  };
  const [document, second] = composer.compose(tokens);
  for (const error of document?.errors ?? []) errors.add(error.pos[0], error.message);
  if (second) errors.add(second.range[0], "a second document starts here; a file may hold one");
  errors.throwIfAny();
  return document?.contents ? { document, warnings } : undefined;
}

/** Collects syntax errors, and throws them as one when asked or when there are too many. */
class SyntaxErrors {
  readonly #source: SourceText;
  readonly #problems: MusterError[] = [];

  constructor(source: SourceText) {
    this.#source = source;
  }

  add(offset: number, message: string): void {
    // the library takes what is thrown here for an error of each collection around, and goes on
    if (this.#problems.length >= maxSyntaxErrors) this.throwIfAny();
    const path = this.#source.position(offset);
    this.#problems.push(new MusterError("DISCOVERY_PARSE", message, { path }));
  }

  throwIfAny(): void {
    const [first, ...others] = this.#problems;
    if (first === undefined) return;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    throw new MusterError("DISCOVERY_PARSE", `${first.message}${more}`, {
      path: first.path,
      problems: this.#problems,
    });
  }
}
