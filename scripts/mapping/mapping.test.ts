import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dataLayerNames } from "./data-layer-names.ts";
import { discoveryPlaneNames } from "./discovery-plane-names.ts";
import { exportedNames } from "./exported-names.ts";

interface Row {
  readonly original: string;
  /** `Type`, `Type.member`, or a function or value. */
  readonly ours: readonly string[];
  readonly reason: boolean;
}

const text = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");

/** The rows of a mapping table: `` | `Original.Name` | `ours`, `ours` or "not needed: why" | ``. */
function rows(title: string): Row[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  return [...section.matchAll(/^\| `([\w.]+)` \| (.*) \|$/gm)].map(
    ([, original = "", ours = ""]) => ({
      original,
      ours: [...ours.matchAll(/`([A-Za-z][\w.]*)`/g)].map(([, name = ""]) => name),
      reason: /\bnot (?:needed|yet): \S/.test(ours),
    }),
  );
}

const exported = exportedNames();

describe.each([
  ["From llm-d's data layer", dataLayerNames],
  ["From Dynamo's discovery plane", discoveryPlaneNames],
])('the mapping table "%s" in ARCHITECTURE.md', (title, names) => {
  const table = rows(title);

  it("has one row for every name of the original, in its order", () => {
    expect(table.map(({ original }) => original)).toEqual(names);
  });

  it("says what is ours, or why nothing is", () => {
    const empty = table.filter(({ ours, reason }) => ours.length === 0 && !reason);
    expect(empty).toEqual([]);
  });

  it("names nothing that is not exported", () => {
    expect(exported.size).toBeGreaterThan(500);
    const unknown = table.flatMap(({ ours }) => ours).filter((name) => !exported.has(name));
    expect(unknown).toEqual([]);
  });
});
