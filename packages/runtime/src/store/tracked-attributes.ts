import {
  type AttributeKey,
  type AttributeMap,
  type AttributeReader,
  type AttributesOptions,
  createAttributes,
  type DynamicAttribute,
} from "@muster/core";
import { equalPlain } from "./equal-plain.ts";

/**
 * Attributes that know whether anything changed. Plain data equal to what is stored is not stored
 * again, which spares the copy on every poll of an idle endpoint. An object with `clone()`, dynamic
 * ones included, counts as changed whenever it is put: what it will give cannot be compared.
 */
export class TrackedAttributes implements AttributeMap {
  readonly #stored: AttributeMap;
  /** Names under which something other than plain data is stored: reading those runs foreign code. */
  #opaque: Set<string> | undefined;
  #changed = false;

  constructor(options: AttributesOptions) {
    this.#stored = createAttributes(options);
  }

  get<T>(key: AttributeKey<T>): T | undefined;
  get(name: string): unknown;
  get(key: AttributeKey<unknown> | string): unknown {
    return typeof key === "string" ? this.#stored.get(key) : this.#stored.get(key);
  }

  put<T>(key: AttributeKey<T>, value: NoInfer<T> | DynamicAttribute<NoInfer<T>> | undefined): void {
    if (value === undefined) return;
    const { name } = key;
    const opaque = isOpaque(value);
    if (!opaque && !this.#opaque?.has(name) && equalPlain(this.#stored.get(name), value)) return;
    this.#stored.put(key, value);
    if (opaque) this.#opaque = (this.#opaque ?? new Set()).add(name);
    else this.#opaque?.delete(name);
    this.#changed = true;
  }

  delete(key: AttributeKey<unknown> | string): boolean {
    const deleted = this.#stored.delete(key);
    if (deleted) this.#changed = true;
    this.#opaque?.delete(typeof key === "string" ? key : key.name);
    return deleted;
  }

  keys(): string[] {
    return this.#stored.keys();
  }

  clone(): AttributeMap {
    return this.#stored.clone();
  }

  /** Whether anything changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }
}

function isOpaque(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { clone?: unknown }).clone === "function"
  );
}

/** Attributes without the methods that write. */
export class ReadOnlyAttributes implements AttributeReader {
  readonly #attributes: AttributeReader;

  constructor(attributes: AttributeReader) {
    this.#attributes = attributes;
  }

  get<T>(key: AttributeKey<T>): T | undefined;
  get(name: string): unknown;
  get(key: AttributeKey<unknown> | string): unknown {
    return typeof key === "string" ? this.#attributes.get(key) : this.#attributes.get(key);
  }

  keys(): string[] {
    return this.#attributes.keys();
  }

  clone(): AttributeMap {
    return this.#attributes.clone();
  }
}
