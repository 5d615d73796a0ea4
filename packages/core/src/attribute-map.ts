import { freezePlain } from "./plain-data.ts";

declare const valueType: unique symbol;

/**
 * Names an attribute and carries its type; made by {@link attributeKey}. Keys compare by name, so two
 * copies of a package agree.
 */
export interface AttributeKey<T> {
  readonly name: string;
  /** Tells whether a stored value has the shape of `T`; one that has not reads as absent. */
  readonly is: ((value: unknown) => value is T) | undefined;
  readonly [valueType]?: T;
}

/**
 * Makes a key. Give `is` wherever somebody else may write under the same name: with it a wrong
 * stored shape reads as absent.
 */
export function attributeKey<T>(
  name: string,
  is?: (value: unknown) => value is T,
): AttributeKey<T> {
  return Object.freeze({ name, is });
}

/** An object that can stand in an attribute map although it is not plain data. */
export interface Cloneable<T = unknown> {
  clone(): T;
}

const dynamicBrand = Symbol.for("muster.dynamic-attribute");

/** An attribute that is computed when it is read; made by {@link dynamicAttribute}. */
export interface DynamicAttribute<T> {
  readonly get: () => T | undefined;
  /** Stays dynamic: the clone calls the same getter. */
  clone(): DynamicAttribute<T>;
}

/** Wraps a getter; `undefined` from it, or a throw, reads as absent. */
export function dynamicAttribute<T>(get: () => T | undefined): DynamicAttribute<T> {
  const value: DynamicAttribute<T> = { get, clone: () => dynamicAttribute(get) };
  return Object.freeze(Object.defineProperty(value, dynamicBrand, { value: true }));
}

/** Reads attributes. What it gives is frozen, or a clone, so no reader can change what is stored. */
export interface AttributeReader {
  /** The value, or `undefined` when absent or not of the key's shape. Frozen data: no allocation. */
  get<T>(key: AttributeKey<T>): T | undefined;
  /** The value under a name known only at run time. */
  get(name: string): unknown;
  keys(): string[];
  /** An independent map with the same values; dynamic attributes stay dynamic in it. */
  clone(): AttributeMap;
}

/** Reads and writes attributes. */
export interface AttributeMap extends AttributeReader {
  /**
   * Stores a copy of plain data, frozen, or an object with `clone()` as it is; `undefined` is
   * ignored (use {@link AttributeMap.delete}).
   *
   * @throws MusterError ATTRIBUTE_INVALID when the value is neither.
   */
  put<T>(key: AttributeKey<T>, value: NoInfer<T> | DynamicAttribute<NoInfer<T>> | undefined): void;
  /** Whether there was one. */
  delete(key: AttributeKey<unknown> | string): boolean;
}

/** Options of {@link createAttributes}. */
export interface AttributesOptions {
  /** Told when a dynamic attribute's getter throws; the read gives absent all the same. */
  readonly onGetterError?: ((name: string, error: unknown) => void) | undefined;
}

/** Makes an empty attribute map. */
export function createAttributes(options: AttributesOptions = {}): AttributeMap {
  return new Attributes(new Map(), options);
}

class Attributes implements AttributeMap {
  readonly #values: Map<string, unknown>;
  readonly #options: AttributesOptions;

  constructor(values: Map<string, unknown>, options: AttributesOptions) {
    this.#values = values;
    this.#options = options;
  }

  get<T>(key: AttributeKey<T>): T | undefined;
  get(name: string): unknown;
  get(key: AttributeKey<unknown> | string): unknown {
    const name = nameOf(key);
    const value = this.#read(name, this.#values.get(name));
    if (value === undefined || typeof key === "string" || key.is === undefined) return value;
    return hasShape(value, key.is) ? value : undefined;
  }

  put<T>(key: AttributeKey<T>, value: NoInfer<T> | DynamicAttribute<NoInfer<T>> | undefined): void {
    if (value === undefined) return;
    this.#values.set(key.name, isCloneable(value) ? value : freezePlain(value));
  }

  delete(key: AttributeKey<unknown> | string): boolean {
    return this.#values.delete(nameOf(key));
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  clone(): AttributeMap {
    return new Attributes(new Map(this.#values), this.#options);
  }

  #read(name: string, stored: unknown): unknown {
    if (!isCloneable(stored)) return stored;
    try {
      if (!isDynamic(stored)) return stored.clone();
      const value = stored.get();
      if (value === undefined) return undefined;
      return isCloneable(value) ? value.clone() : freezePlain(value);
    } catch (error) {
      this.#options.onGetterError?.(name, error);
      return undefined;
    }
  }
}

function nameOf(key: AttributeKey<unknown> | string): string {
  return typeof key === "string" ? key : key.name;
}

function hasShape(value: unknown, is: (value: unknown) => boolean): boolean {
  try {
    return is(value);
  } catch {
    // a guard that trips over a value has found it to be of another shape
    return false;
  }
}

function isCloneable(value: unknown): value is Cloneable {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<Cloneable>).clone === "function"
  );
}

function isDynamic(value: object): value is DynamicAttribute<unknown> {
  return dynamicBrand in value;
}
