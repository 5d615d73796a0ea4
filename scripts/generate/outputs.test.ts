import { expect, it } from "vitest";
import { staleFiles } from "./outputs.ts";

it("every generated file is committed as `npm run generate` writes it", async () => {
  expect(await staleFiles()).toEqual([]);
});
