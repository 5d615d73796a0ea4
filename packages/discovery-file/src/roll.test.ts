import { createEndpointMetadata, endpointId } from "@muster/core";
import { expect, it } from "vitest";
import type { EndpointsFile } from "./endpoints-file.ts";
import { Roll } from "./roll.ts";

const file = (addresses: Record<string, string>, rest: Partial<EndpointsFile> = {}) => {
  const list = Object.entries(addresses).map(([name, address]) =>
    createEndpointMetadata({ name, address, port: 1 }),
  );
  const endpoints = new Map(list.map((one) => [endpointId(one.namespacedName), one]));
  const none = { invalid: new Set<string>(), unnamed: 0, problems: [], omittedProblems: 0 };
  return { ...none, endpoints, ...rest };
};

const make = () => {
  const roll = new Roll();
  const apply = (content: EndpointsFile): string[] => {
    const calls: string[] = [];
    roll.apply(content, {
      upsert: ({ namespacedName, address }) => calls.push(`+${namespacedName.name} ${address}`),
      delete: ({ name }) => calls.push(`-${name}`),
    });
    return calls;
  };
  return { roll, apply };
};

it("reports the difference only, deletes first", () => {
  const { roll, apply } = make();
  expect(apply(file({ a: "h1", b: "h2" }))).toEqual(["+a h1", "+b h2"]);
  expect(apply(file({ b: "h2", a: "h1" }))).toEqual([]);
  expect(apply(file({ b: "h3", c: "h1" }))).toEqual(["-a", "+b h3", "+c h1"]);
  expect(roll.size).toBe(2);
});

it("keeps the last good form of an entry with problems, until it is gone", () => {
  const { roll, apply } = make();
  apply(file({ a: "h1", b: "h2" }));
  const invalid = new Set(["default/a", "default/never-good"]);
  expect(apply(file({ b: "h2" }, { invalid }))).toEqual([]);
  expect(roll.size).toBe(2);
  expect(apply(file({ b: "h2" }))).toEqual(["-a"]);
});

it("deletes nothing while there is an entry whose name cannot be read", () => {
  const { roll, apply } = make();
  apply(file({ a: "h1" }));
  expect(roll.removals(file({}, { unnamed: 1 }))).toEqual([]);
  expect(apply(file({ c: "h3" }, { unnamed: 1 }))).toEqual(["+c h3"]);
  expect(apply(file({ c: "h3" }))).toEqual(["-a"]);
});
