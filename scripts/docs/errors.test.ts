import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorCodes } from "../../packages/core/src/index.ts";
import { root } from "../workspace.ts";

it("docs/errors.md lists exactly the error codes, in their order", () => {
  const text = readFileSync(join(root, "docs/errors.md"), "utf8");
  const listed = [...text.matchAll(/^(?:#+ |\| )`([A-Z_]+)`/gm)].map((match) => match[1]);
  expect(listed).toEqual(Object.keys(errorCodes));
});
