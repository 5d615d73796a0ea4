import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { generate } from "./outputs.ts";

it("every generated file is committed as `npm run generate` writes it", async () => {
  const { files, problems } = await generate();
  const stale = [...files].filter(
    ([file, content]) => !existsSync(file) || readFileSync(file, "utf8") !== content,
  );
  expect(problems).toEqual([]);
  expect(stale.map(([file]) => relative(root, file))).toEqual([]);
});
