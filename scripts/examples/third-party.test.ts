import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { createSandbox } from "../docs/sandbox.ts";
import { root } from "../workspace.ts";

const example = join(root, "examples/third-party-extractor");
let sandbox: string;

beforeAll(() => {
  sandbox = createSandbox();
  for (const name of ["src", "package.json", "tsconfig.json"])
    cpSync(join(example, name), join(sandbox, name), { recursive: true });
  return () => rmSync(sandbox, { recursive: true, force: true });
});

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: sandbox,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

it("the third party's extractor compiles against the sources of core", () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = [
    "--noEmit",
    "--allowImportingTsExtensions",
    "--customConditions",
    "@muster/source",
  ];
  // the compiler would place the sources of core below the example's own
  const { status, output } = run(
    tsc,
    "-p",
    ".",
    ...flags,
    "--rootDir",
    "/",
    "--lib",
    "ES2023,ESNext.Disposable,DOM",
  );
  expect(status, output).toBe(0);
}, 60_000);

it("its tests pass, with testkit's suites, on node:test", () => {
  const tsx = createRequire(import.meta.url).resolve("tsx");
  const flags = ["--import", tsx, "--conditions=@muster/source"];
  const { status, output } = run(...flags, "--test", "src/first-token.test.ts");
  expect(status, output).toBe(0);
  expect(output).toMatch(/^# pass [1-9]/m);
}, 60_000);
