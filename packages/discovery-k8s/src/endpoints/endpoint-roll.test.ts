import { createEndpointMetadata, type DiscoveryNotifier } from "@muster/core";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointRoll, type NamedEndpoint } from "./endpoint-roll.ts";
import { familyOf } from "./pod.ts";

let calls: string[];
let roll: EndpointRoll;

beforeEach(() => {
  calls = [];
  const notifier: DiscoveryNotifier = {
    upsert: ({ namespacedName, address }) => calls.push(`${namespacedName.name} ${address}`),
    delete: ({ name }) => calls.push(`- ${name}`),
    degraded: () => undefined,
    recovered: () => undefined,
  };
  roll = new EndpointRoll(
    notifier,
    (a, b) => familyOf(a.address) === "IPv4" && familyOf(b.address) !== "IPv4",
  );
});

const at = (name: string, address: string, uid?: string): NamedEndpoint => ({
  metadata: createEndpointMetadata({ name, address, port: 1 }),
  uid,
});

describe("a roll tells", () => {
  it("only what changes", () => {
    roll.set("x", [at("a", "10.0.0.1"), at("b", "10.0.0.2")]);
    roll.set("x", [at("a", "10.0.0.1"), at("b", "10.0.0.3")]);
    roll.set("x", [at("a", "10.0.0.1")]);
    roll.remove("x");
    roll.remove("x");
    const came = ["a 10.0.0.1", "b 10.0.0.2"];
    expect(calls).toEqual([...came, "b 10.0.0.3", "- b", "- a"]);
  });

  it("of an endpoint once, until the last object that names it is gone", () => {
    roll.set("x", [at("a", "10.0.0.1")]);
    roll.set("y", [at("a", "10.0.0.1")]);
    roll.remove("x");
    expect(calls).toEqual(["a 10.0.0.1"]);
    roll.set("y", []);
    expect(calls).toEqual(["a 10.0.0.1", "- a"]);
  });

  it("the same whatever comes first: what is preferred, then the first key", () => {
    roll.set("y", [at("a", "10.0.0.2")]);
    roll.set("six", [at("a", "fd00::1")]);
    roll.set("x", [at("a", "10.0.0.1")]);
    roll.set("z", [at("a", "10.0.0.3")]);
    roll.remove("x");
    roll.remove("y");
    roll.remove("z");
    expect(calls).toEqual(["a 10.0.0.2", "a 10.0.0.1", "a 10.0.0.2", "a 10.0.0.3", "a fd00::1"]);
  });

  it("the end of a pod before its successor of the same name", () => {
    roll.set("x", [at("a", "10.0.0.1", "1"), at("b", "10.0.0.1", "1")]);
    roll.set("x", [at("a", "10.0.0.1", "2")]);
    const came = ["a 10.0.0.1", "b 10.0.0.1"];
    expect(calls).toEqual([...came, "- a", "a 10.0.0.1", "- b"]);
  });

  it("no end when a uid becomes known", () => {
    roll.set("x", [at("a", "10.0.0.1")]);
    roll.set("x", [at("a", "10.0.0.1", "1")]);
    expect(calls).toEqual(["a 10.0.0.1"]);
  });
});
