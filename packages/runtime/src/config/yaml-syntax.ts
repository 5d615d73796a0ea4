import { MusterError, messageOf } from "@muster/core";
import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser } from "yaml";
import { maxDepth } from "./plain-data.ts";

/** A parsed document, with what is wrong with it in `errors` and `warnings`. */
export type Parsed = Document.Parsed<ParsedNode>;

/** Lexical tokens of one file: what its size alone would allow, the parser takes seconds for. */
const maxTokens = 300_000;

/** What {@link parseSyntax} says where to. */
export interface SyntaxOptions {
  readonly file: string;
  /** Told the offset of each line. */
  readonly onLine: (offset: number) => void;
  /** `file:line:column` of an offset. */
  readonly place: (offset: number) => string;
}

/**
 * Parses YAML of one document. Keys that are given twice are left to the reader, since the library
 * compares each with all before it.
 *
 * @throws MusterError CONFIG_PARSE for nesting that would overflow the stack, CONFIG_TOO_LARGE.
 */
export function parseSyntax(text: string, options: SyntaxOptions): Parsed {
  const tokens = parseTokens(text, options);
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: "error" });
  try {
    const [document, second] = composer.compose(tokens, true, text.length);
    if (document === undefined) throw new Error("no document");
    if (second !== undefined)
      throw new MusterError("CONFIG_PARSE", "a second document starts here; a file may hold one", {
        path: options.place(second.range[0]),
      });
    return document as Parsed;
  } catch (error) {
    if (error instanceof MusterError) throw error;
    // whatever the library throws instead of reporting it
    const { file } = options;
    throw new MusterError("CONFIG_PARSE", `${file} cannot be parsed: ${messageOf(error)}`, {
      path: file,
      cause: error,
    });
  }
}

function parseTokens(text: string, { file, onLine, place }: SyntaxOptions): CST.Token[] {
  const parser = new Parser(onLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  onLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // composing recurses: deeper nesting would end the process, or the stack at best
    if (parser.stack.length > 2 * maxDepth)
      throw new MusterError("CONFIG_PARSE", `nested deeper than ${maxDepth} levels`, {
        path: place(parser.offset),
      });
    if (++count > maxTokens)
      throw new MusterError(
        "CONFIG_TOO_LARGE",
        `${file} has more than ${maxTokens} YAML tokens; no configuration needs that`,
        { path: file },
      );
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}
