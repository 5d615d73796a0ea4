import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox, runBlock, typeCheck } from "./sandbox.ts";

let sandbox: string;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => rmSync(sandbox, { recursive: true }));

function write(name: string, code: string): string {
  const folder = join(sandbox, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "block.ts"), code);
  return folder;
}

const generous = { timeoutMs: 20_000 };

it("imports the workspace by name, with types, and finds the line of a type error", async () => {
  const good = write(
    "good",
    `import { MusterError } from "@muster/core";
const error: Error = new MusterError("INTERNAL", "x");
await using nothing = { async [Symbol.asyncDispose]() {} };
console.log(error.name, typeof nothing);`,
  );
  write("bad", `import { MusterError } from "@muster/core";\n\nnew MusterError("NO_SUCH", "x");`);
  const errors = typeCheck(sandbox);
  expect([...errors.keys()]).toEqual(["bad"]);
  expect(errors.get("bad")).toEqual([
    { line: 3, message: expect.stringContaining('"NO_SUCH"') as string },
  ]);
  expect(await runBlock(good, generous)).toEqual({ output: "MusterError object\n", ended: 0 });
});

it("says how a block failed", async () => {
  const thrown = await runBlock(write("throws", `throw new Error("no luck");`), generous);
  expect(thrown.ended).toBe(1);
  expect(thrown.output).toContain("no luck");
  const endless = write("endless", "setInterval(() => undefined, 1000);");
  expect((await runBlock(endless, { timeoutMs: 50 })).ended).toBe("timeout");
});

it("stops a block at its `until` line, and tells one that ends before", async () => {
  const code = `console.log("listening on 1"); setInterval(() => undefined, 1000);`;
  const server = write("server", code);
  const until = /listening on \d/;
  expect(await runBlock(server, { until, ...generous })).toEqual({
    output: "listening on 1\n",
    ended: undefined,
  });
  expect(await runBlock(write("quiet", ""), { until, ...generous })).toEqual({
    output: "",
    ended: 0,
  });
});
