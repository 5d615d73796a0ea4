import { describe, expect, it, vi } from "vitest";
import {
  attributeKey,
  type Cloneable,
  createAttributes,
  dynamicAttribute,
} from "./attribute-map.ts";

const size = attributeKey<number>("size");
const names = attributeKey<readonly string[]>("names", (value): value is readonly string[] =>
  Array.isArray(value),
);

class Box implements Cloneable<Box> {
  readonly items: number[];

  constructor(items: number[]) {
    this.items = items;
  }

  clone(): Box {
    return new Box([...this.items]);
  }
}

describe("section 2: attributes", () => {
  it("put(undefined) is ignored", () => {
    const map = createAttributes();
    map.put(size, 1);
    map.put(size, undefined);
    expect(map.get(size)).toBe(1);
  });

  it("get gives what no reader can change: frozen data as it is, objects with clone() as clones", () => {
    const map = createAttributes();
    const box = attributeKey<Box>("box");
    map.put(names, ["a"]);
    map.put(box, new Box([1]));
    expect(map.get(names)).toBe(map.get("names"));
    expect(Object.isFrozen(map.get(names))).toBe(true);
    map.get(box)?.items.push(2);
    expect(map.get(box)?.items).toEqual([1]);
  });

  it("a dynamic attribute is asked at each read, and absent when it yields nothing", () => {
    const map = createAttributes();
    const get = vi.fn<() => number | undefined>();
    map.put(size, dynamicAttribute(get));
    get.mockReturnValueOnce(1).mockReturnValueOnce(undefined);
    expect([map.get(size), map.get("size")]).toEqual([1, undefined]);
  });

  it("what a dynamic attribute yields is frozen or cloned too", () => {
    const map = createAttributes();
    const mine = ["a"];
    map.put(
      names,
      dynamicAttribute(() => mine),
    );
    expect(Object.isFrozen(map.get(names))).toBe(true);
    expect(Object.isFrozen(mine)).toBe(false);
    const box = new Box([1]);
    map.put(
      attributeKey<Box>("box"),
      dynamicAttribute(() => box),
    );
    expect(map.get("box")).not.toBe(box);
  });

  it("a getter, a clone() or a result that throws reads as absent and is reported", () => {
    const failures: [string, unknown][] = [];
    const map = createAttributes({ onGetterError: (name, error) => failures.push([name, error]) });
    const boom = new Error("boom");
    const fail = (): never => {
      throw boom;
    };
    map.put(size, dynamicAttribute<number>(fail));
    map.put(attributeKey<Cloneable>("broken"), { clone: fail });
    map.put(
      attributeKey<unknown>("date"),
      dynamicAttribute<unknown>(() => new Date(0)),
    );
    expect([map.get(size), map.get("broken"), map.get("date")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(failures.map(([name]) => name)).toEqual(["size", "broken", "date"]);
    expect(failures[0]?.[1]).toBe(boom);
  });

  it("clone copies the map; dynamic attributes stay dynamic, errors are still reported", () => {
    const onGetterError = vi.fn();
    const map = createAttributes({ onGetterError });
    let now = 1;
    map.put(
      size,
      dynamicAttribute(() => now),
    );
    const copy = map.clone();
    copy.put(names, []);
    now = 2;
    expect(copy.get(size)).toBe(2);
    expect(map.keys()).toEqual(["size"]);
    copy.put(
      size,
      dynamicAttribute<number>(() => JSON.parse("{")),
    );
    expect(copy.get(size)).toBeUndefined();
    expect(onGetterError).toHaveBeenCalledOnce();
  });

  it("dynamicAttribute clones into one that asks the same getter", () => {
    const get = (): number => 5;
    expect(dynamicAttribute(get).clone().get).toBe(get);
  });

  it("a stored shape the key's guard refuses, or trips over, reads as absent", () => {
    const map = createAttributes();
    map.put(attributeKey<string>("names"), "not a list");
    expect(map.get(names)).toBeUndefined();
    expect(map.get("names")).toBe("not a list");
    const careless = attributeKey<{ a: number[] }>(
      "names",
      (value): value is { a: number[] } => (value as { a: number[] }).a.length > 0,
    );
    expect(map.get(careless)).toBeUndefined();
  });

  it("keys compare by name: two copies of a package agree", () => {
    const map = createAttributes();
    map.put(attributeKey<number>("size"), 3);
    expect(map.get(attributeKey<number>("size"))).toBe(3);
  });

  it("null is a value, plain data with a key named clone is plain data", () => {
    const map = createAttributes();
    map.put(attributeKey<null>("nothing"), null);
    map.put(attributeKey<unknown>("plain"), { clone: "wool" });
    expect(map.get("nothing")).toBeNull();
    expect(map.get("plain")).toEqual({ clone: "wool" });
  });

  it("any name is data", () => {
    const map = createAttributes();
    expect(map.get("__proto__")).toBeUndefined();
    map.put(attributeKey<number>("__proto__"), 1);
    expect(map.keys()).toEqual(["__proto__"]);
    expect(map.delete("__proto__")).toBe(true);
    expect(map.delete("__proto__")).toBe(false);
  });
});
