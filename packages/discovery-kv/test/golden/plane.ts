import {
  type Discovery,
  type DiscoveryQuery,
  decodeInstance,
  encodeInstance,
  type KeyValueStore,
} from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { expect } from "vitest";
import { golden, instanceId, legacy, legacyRead } from "./records.ts";

const queries = ["AllEndpoints", "AllModels", "EventChannels", "EventSources"] as const;

/** Expects that a plane lists and watches exactly the records that somebody laid out by hand. */
export async function expectReads(store: KeyValueStore): Promise<void> {
  const plane = createKvDiscovery(store);
  const expected = [...golden.map(({ wire }) => wire), legacyRead].sort();
  const lists = await Promise.all(queries.map((type) => plane.list({ type })));
  expect(lists.flat().map(encodeInstance).sort()).toEqual(expected);
  const watched = await Promise.all(queries.map((type) => firstSnapshot(plane, { type })));
  expect(watched.flat().sort()).toEqual(expected);
  for (const wire of [legacy.wire, ...golden.map((each) => each.wire)])
    await plane.unregister(decodeInstance(wire));
  for (const type of queries) expect(await plane.list({ type })).toEqual([]);
  await plane.close();
}

async function firstSnapshot(plane: Discovery, query: DiscoveryQuery): Promise<string[]> {
  const added: string[] = [];
  for await (const event of await plane.listAndWatch(query)) {
    if (event.type === "Added") added.push(encodeInstance(event.instance));
    if (event.type === "Resync") break;
  }
  return added;
}

/** Registers every golden record; `store` has to have their id. */
export async function registerAll(store: KeyValueStore): Promise<Discovery> {
  const plane = createKvDiscovery(store);
  expect(plane.instanceId).toBe(instanceId);
  for (const { spec, wire } of golden)
    if (spec) expect(encodeInstance(await plane.register(spec))).toBe(wire);
  return plane;
}
