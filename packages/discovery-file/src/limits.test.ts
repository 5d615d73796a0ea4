import { describe, expect, it } from "vitest";
import { type EndpointsFile, parseEndpointsFile } from "./endpoints-file.ts";
import { maxAliases, maxEntries, maxKeys, maxLabels, maxMerged, maxProblems } from "./limits.ts";

const parse = (text: string): Promise<EndpointsFile> =>
  parseEndpointsFile(new TextEncoder().encode(text), { file: "e.yaml" });

const good = "name: a, address: h, port: 1";
const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join("");

describe("limits of an endpoints file", () => {
  it("50,000 entries are read, one more is refused as a whole", async () => {
    const list = (count: number): string =>
      `endpoints:\n${many(count, (i) => `- {name: v-${i}, address: h, port: 1}\n`)}`;
    expect((await parse(list(maxEntries))).endpoints.size).toBe(maxEntries);
    await expect(parse(list(maxEntries + 1))).rejects.toMatchObject({
      code: "DISCOVERY_TOO_LARGE",
      message: "50001 entries; a file may hold 50000",
    });
  }, 60_000);

  it("aliases are limited", async () => {
    const list = (count: number): string =>
      `endpoints:\n- &a {${good}}\n${many(count, () => "- *a\n")}`;
    expect((await parse(list(maxAliases))).endpoints.size).toBe(1);
    await expect(parse(list(maxAliases + 1))).rejects.toMatchObject({
      code: "DISCOVERY_TOO_LARGE",
      path: `e.yaml:${maxAliases + 3}:3`,
    });
  });

  it("a billion laughs end at the limit of aliases", async () => {
    const level = (n: number): string =>
      `l${n + 1}: &l${n + 1} {<<: [${many(9, () => `*l${n}, `)}]}\n`;
    const text = `l0: &l0 {${good}}\n${many(20, level)}endpoints: [*l0, *l20]\n`;
    await expect(parse(text)).rejects.toMatchObject({ code: "DISCOVERY_TOO_LARGE" });
  });

  it("aliases of aliases are looked at no deeper than an entry is", async () => {
    const level = (n: number): string => `l${n + 1}: &l${n + 1} [${many(9, () => `*l${n}, `)}]\n`;
    const text = `l0: &l0 [x]\n${many(20, level)}endpoints: [*l20, {${good}, labels: *l20}]\n`;
    const { endpoints, problems } = await parse(text);
    expect([endpoints.size, problems.at(-1)?.message]).toEqual([0, "must be a map, not a list"]);
  });

  it.each([
    ["merges itself", "a: &a {<<: *a}\nendpoints: [*a]\n"],
    ["merges too many", `endpoints: [{${good}, <<: [${many(maxMerged + 1, () => "{},")}]}]\n`],
  ])("an entry that %s is skipped", async (_, text) => {
    const { endpoints, problems } = await parse(text);
    expect(endpoints.size).toBe(0);
    expect(problems.map(({ message }) => message)).toContain("too many maps are merged");
  });

  it("an entry with too many labels or keys is skipped", async () => {
    const labels = (count: number): string =>
      `endpoints: [{${good}, labels: {${many(count, (i) => `l${i}: x, `)}}}]`;
    expect((await parse(labels(maxLabels))).endpoints.size).toBe(1);
    for (const count of [maxLabels + 1, maxKeys + 1])
      expect((await parse(labels(count))).endpoints.size).toBe(0);
    const keys = await parse(`endpoints: [{${good}, ${many(maxKeys, (i) => `k${i}: x, `)}}]`);
    expect([keys.endpoints.size, keys.problems[0]?.message]).toEqual([0, "more than 256 keys"]);
  });

  it("problems are kept up to 1,000, the others counted", async () => {
    const file = await parse(`endpoints:\n${many(maxProblems + 7, () => "- x\n")}`);
    expect([file.problems.length, file.omittedProblems, file.unnamed]).toEqual([1000, 7, 1007]);
  });
});
