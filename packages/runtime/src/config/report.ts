import { type ErrorCode, formatIssuePath, MusterError } from "@muster/core";
import type { ConfigDocument } from "./config-document.ts";
import { Notes, printable } from "./notes.ts";

/** A place in a configuration: keys and indices from its root. */
export type ConfigPath = readonly (string | number)[];

/** What more can be said of a problem. */
export interface NoteOptions {
  /** Default CONFIG_INVALID. */
  readonly code?: ErrorCode;
  /** Point at the key rather than at its value. */
  readonly at?: "key" | "value";
  readonly cause?: unknown;
}

/** Collects what is wrong with, or to be said of, one configuration, each once. */
export class Report {
  readonly #document: ConfigDocument;
  readonly #problems = new Notes<MusterError>();
  readonly #warnings = new Notes<string>();
  /** Values that must not show in any message. */
  readonly #secrets = new Set<string>();

  constructor(document: ConfigDocument) {
    this.#document = document;
  }

  /** In the order of the file. */
  get warnings(): readonly string[] {
    const { left } = this.#warnings;
    return [...this.#warnings.list(), ...(left > 0 ? [`${left} more warnings`] : [])];
  }

  /** From now on `secret` is blacked out. */
  hide(secret: string): void {
    // a text of one or two letters would black out half of every message
    if (secret.length > 2) this.#secrets.add(secret);
  }

  problem(path: ConfigPath, message: string, options: NoteOptions = {}): void {
    const place = this.place(path, options.at);
    const text = this.#redact(message);
    const cause = this.#secrets.size === 0 ? options.cause : undefined;
    const note = new MusterError(options.code ?? "CONFIG_INVALID", text, { path: place, cause });
    this.#problems.add(`${place}: ${text}`, this.#document.position(path, options.at), note);
  }

  warning(path: ConfigPath, message: string, at?: "key" | "value"): void {
    const note = `${this.place(path, at)}: ${this.#redact(message)}`;
    this.#warnings.add(note, this.#document.position(path, at), note);
  }

  /** `file:line:column: path`, without the path for the root. */
  place(path: ConfigPath, at?: "key" | "value"): string {
    const { line, column } = this.#document.position(path, at);
    const position = `${this.#document.file}:${line}:${column}`;
    return path.length === 0 ? position : `${position}: ${printable(formatIssuePath(path))}`;
  }

  /** CONFIG_INVALID with all problems. */
  toError(): MusterError {
    return invalidConfig("CONFIG_INVALID", this.#document.file, {
      problems: this.#problems.list(),
      left: this.#problems.left,
    });
  }

  throwIfFailed(): void {
    if (this.#problems.size > 0) throw this.toError();
  }

  #redact(text: string): string {
    let result = text;
    for (const secret of this.#secrets) result = result.replaceAll(secret, "***");
    return printable(result);
  }
}

/** One error for all problems of a file; its message has a line for each. */
export function invalidConfig(
  code: "CONFIG_INVALID" | "CONFIG_PARSE",
  file: string,
  found: { readonly problems: readonly MusterError[]; readonly left?: number },
): MusterError {
  const lines = found.problems.map((problem) => `${problem.path}: ${problem.message}`);
  if (found.left) lines.push(`${found.left} more problems`);
  return new MusterError(code, `${file} is not valid:\n${lines.join("\n")}`, {
    path: file,
    problems: found.problems,
  });
}
