import { expect, it } from "vitest";
import { staleFiles } from "./outputs.ts";

it("every generated file is committed as `npm run generate` writes it", {
  timeout: 60_000,
}, async () => {
  expect(await staleFiles()).toEqual([]);
});
