import { expect, it } from "vitest";
import { suggest } from "./suggest.ts";

const known = ["name", "namespace", "address", "port", "labels", "metrics"];

it.each([
  ["adress", "address"],
  ["Address", "address"],
  ["nam", "name"],
  ["prot", undefined],
  ["label", "labels"],
  ["metrcs", "metrics"],
  ["namepsace", "namespace"],
  ["host", undefined],
  ["", undefined],
  ["x".repeat(1000), undefined],
])("%s is taken for %s", (key, meant) => {
  expect(suggest(key, known)).toBe(meant);
});
