import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { boundaries } from "./table.ts";

const names = (cell: string): string[] =>
  cell === "none" ? [] : cell.split(",").map((name) => name.trim());

it("the table of ARCHITECTURE.md is the one that is checked", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const section = /^## Packages and arrows\n([\s\S]*?)^## /m.exec(text)?.[1] ?? "";
  const rows = section.matchAll(/^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|.*\| ([^|]*) \| ([^|]*) \|$/gm);
  const drawn = [...rows].flatMap(([, folders = "", workspace = "", npm = ""]) =>
    names(folders.replaceAll("`", "")).map((folder) => [
      folder,
      { workspace: names(workspace), npm: names(npm) },
    ]),
  );
  const checked = Object.entries(boundaries).map(([folder, { workspace, npm }]) => [
    folder,
    { workspace, npm },
  ]);
  expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(checked));
});
