import { MusterError } from "../errors.ts";
import { type JsonLimits, maxJsonDepth, maxJsonLength } from "./json-limits.ts";
import { jsonNumber } from "./json-number.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const minus = 0x2d;
const letterU = 0x75;
/** What may follow a backslash, by character code: `"` `\` `/` `b` `f` `n` `r` `t`. */
const escapes: ReadonlySet<number> = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
const hexDigits = /[0-9A-Fa-f]{4}/y;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads JSON (RFC 8259) from a text, in time linear in its length. Every method throws PLANE_JSON. */
export class JsonReader {
  readonly text: string;
  /** Where the next token, or space before it, begins. */
  position = 0;
  readonly #maxDepth: number;
  #depth = 0;

  constructor(
    text: string,
    { maxLength = maxJsonLength, maxDepth = maxJsonDepth }: JsonLimits = {},
  ) {
    this.text = text;
    this.#maxDepth = maxDepth;
    if (text.length > maxLength)
      throw new MusterError(
        "PLANE_JSON",
        `JSON of ${text.length} characters is longer than the ${maxLength} allowed`,
      );
  }

  /** The code of the next character that is no space; NaN at the end. */
  peek(): number {
    let code = this.text.charCodeAt(this.position);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
      code = this.text.charCodeAt(++this.position);
    return code;
  }

  /** Fails unless nothing is left. */
  end(): void {
    if (!Number.isNaN(this.peek())) this.fail("expected the end");
  }

  /** Reads an object; `onMember` gets each name as it stands and has to read the value. */
  readObject(onMember: (name: string) => void): void {
    if (this.peek() !== openBrace) this.fail("expected an object");
    this.#enter();
    if (this.peek() !== closeBrace) {
      for (;;) {
        if (this.peek() !== quote) this.fail("expected a member name");
        const name = this.readString();
        if (this.peek() !== colon) this.fail("expected ':'");
        this.position++;
        onMember(name);
        if (this.peek() !== comma) break;
        this.position++;
      }
      if (this.peek() !== closeBrace) this.fail("expected ',' or '}'");
    }
    this.#leave();
  }

  /** Reads an array; `onItem` has to read each item. */
  readArray(onItem: () => void): void {
    if (this.peek() !== openBracket) this.fail("expected an array");
    this.#enter();
    if (this.peek() !== closeBracket) {
      for (;;) {
        onItem();
        if (this.peek() !== comma) break;
        this.position++;
      }
      if (this.peek() !== closeBracket) this.fail("expected ',' or ']'");
    }
    this.#leave();
  }

  /** Reads a string; `peek` has seen its quote. */
  readString(): string {
    const start = this.position;
    const escaped = this.#skipString();
    const text = this.text.slice(start + 1, this.position - 1);
    // native code resolves escapes that are known to be right
    return escaped ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** Reads any value: integers that a number cannot hold as bigint, objects without prototype. */
  readValue(freeze = false): unknown {
    switch (this.peek()) {
      case openBrace: {
        const object: Record<string, unknown> = Object.create(null);
        this.readObject((name) => {
          object[name] = this.readValue(freeze);
        });
        return freeze ? Object.freeze(object) : object;
      }
      case openBracket: {
        const array: unknown[] = [];
        this.readArray(() => array.push(this.readValue(freeze)));
        return freeze ? Object.freeze(array) : array;
      }
      case quote:
        return this.readString();
      default:
        return this.#readScalar();
    }
  }

  /** Checks a value and moves behind it; reads nothing. */
  skipValue(): void {
    switch (this.peek()) {
      case openBrace:
        this.#skipObject();
        break;
      case openBracket:
        this.readArray(this.#skip);
        break;
      case quote:
        this.#skipString();
        break;
      default:
        this.#skipScalar();
    }
  }

  /** Throws PLANE_JSON for what is at `position`. */
  fail(problem: string): never {
    const at = this.position;
    const before = this.text.slice(0, at);
    const line = before.split("\n").length;
    const column = at - before.lastIndexOf("\n");
    const found = at < this.text.length ? JSON.stringify(this.text.slice(at, at + 10)) : "the end";
    throw new MusterError(
      "PLANE_JSON",
      `not JSON at position ${at} (line ${line}, column ${column}): ${problem}, found ${found}`,
    );
  }

  readonly #skip = (): void => this.skipValue();

  #skipObject(): void {
    this.#enter();
    if (this.peek() !== closeBrace) {
      for (;;) {
        if (this.peek() !== quote) this.fail("expected a member name");
        this.#skipString();
        if (this.peek() !== colon) this.fail("expected ':'");
        this.position++;
        this.skipValue();
        if (this.peek() !== comma) break;
        this.position++;
      }
      if (this.peek() !== closeBrace) this.fail("expected ',' or '}'");
    }
    this.#leave();
  }

  #enter(): void {
    if (this.#depth === this.#maxDepth) this.fail(`nested deeper than ${this.#maxDepth}`);
    this.#depth++;
    this.position++;
  }

  #leave(): void {
    this.#depth--;
    this.position++;
  }

  /** Moves behind a string and says whether it has escapes. */
  #skipString(): boolean {
    const { text } = this;
    let escaped = false;
    let at = this.position + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code === backslash) {
        escaped = true;
        this.position = at;
        at = this.#skipEscape();
      } else if (code >= 0x20) {
        at++;
      } else {
        // the end compares false with anything
        this.position = at;
        this.fail(at < text.length ? "control character in a string" : "string without end");
      }
    }
    this.position = at + 1;
    return escaped;
  }

  /** Where the escape at `position` ends. */
  #skipEscape(): number {
    const at = this.position + 1;
    const code = this.text.charCodeAt(at);
    if (escapes.has(code)) return at + 1;
    hexDigits.lastIndex = at + 1;
    if (code !== letterU || !hexDigits.test(this.text)) this.fail("bad escape");
    return at + 5;
  }

  #skipScalar(): void {
    const code = this.text.charCodeAt(this.position);
    if (code === minus || (code >= 0x30 && code <= 0x39)) {
      numberToken.lastIndex = this.position;
      if (!numberToken.test(this.text)) this.fail("bad number");
      this.position = numberToken.lastIndex;
    } else if (this.text.startsWith("true", this.position)) this.position += 4;
    else if (this.text.startsWith("false", this.position)) this.position += 5;
    else if (this.text.startsWith("null", this.position)) this.position += 4;
    else this.fail("expected a value");
  }

  #readScalar(): unknown {
    const start = this.position;
    this.#skipScalar();
    const text = this.text.slice(start, this.position);
    if (text === "true") return true;
    if (text === "false") return false;
    return text === "null" ? null : jsonNumber(text);
  }
}
