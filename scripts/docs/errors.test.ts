import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorCodes } from "../../packages/core/src/index.ts";
import { root } from "../workspace.ts";

it("docs/errors.md lists exactly the error codes, in their order, each with its anchor", () => {
  const text = readFileSync(join(root, "docs/errors.md"), "utf8");
  const rows = [...text.matchAll(/^\| <a id="(\w+)"><\/a>`([A-Z_]+)`/gm)];
  expect(rows.map((row) => row[2])).toEqual(Object.keys(errorCodes));
  // problem details of the HTTP API link to the anchors
  expect(rows.map((row) => row[1]?.toUpperCase())).toEqual(Object.keys(errorCodes));
});
