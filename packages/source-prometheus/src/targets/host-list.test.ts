import { describe, expect, it } from "vitest";
import { HostList, isHostEntry } from "./host-list.ts";

describe("a list of hosts", () => {
  const list = new HostList(["10.0.0.0/8", "fd00::1", "Gpu-1.Example.", "*.svc.local"]);
  it.each([
    ["10.9.9.9", true],
    ["::ffff:10.9.9.9", true],
    ["11.0.0.1", false],
    ["fd00:0::1", true],
    ["gpu-1.example", true],
    ["GPU-1.EXAMPLE.", true],
    ["gpu-1.example.org", false],
    ["a.b.svc.local", true],
    ["svc.local", false],
    ["evilsvc.local", false],
    ["10.0.0.0/8", false],
  ])("%s: %s", (host, expected) => {
    expect(list.has(host)).toBe(expected);
  });

  it("holds every host with *", () => {
    expect(new HostList(["*"]).has("anything")).toBe(true);
    expect(new HostList([]).has("anything")).toBe(false);
  });
});

it.each(["*", "10.0.0.0/8", "::1", "a", "a-b.c", "*.a.b"])("%s can be listed", (text) => {
  expect(isHostEntry(text)).toBe(true);
});

it.each([
  "",
  "*a",
  "a.*",
  "*.*.a",
  "10.0.0.0/40",
  "10.0.0.300",
  "http://a",
  "a:80",
  "[::1]",
  "a b",
])("%j cannot be listed", (text) => {
  expect(isHostEntry(text)).toBe(false);
});
