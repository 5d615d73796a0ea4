import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkBoundaries } from "./check.ts";
import { boundaries, corePeerRange } from "./table.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "muster-boundaries-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const peer = { "@muster/core": corePeerRange };

/** Writes a package that breaks no rule, changed as the case says. */
function pack(folder: string, manifest: object, files: Record<string, string> = {}): void {
  const all = {
    "package.json": JSON.stringify({ name: `@muster/${folder}`, ...manifest }),
    "src/index.ts": "export {};",
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    const file = join(root, "packages", folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const check = () => checkBoundaries(root, boundaries);

describe("allowed", () => {
  it("what the table lists, in source and manifest", () => {
    pack("core", {});
    pack(
      "discovery-file",
      {
        dependencies: { zod: "1" },
        peerDependencies: peer,
        devDependencies: { "@muster/testkit": "1" },
      },
      {
        "src/index.ts": `import { z } from "zod/v4"; export type { A } from "@muster/core/plane";
import { watch } from "node:fs"; const lazy = await import("./lazy.ts");`,
        "src/index.test.ts": `import { it } from "vitest"; import { suite } from "@muster/testkit";`,
        "test/contract.test.ts": `import { x } from "../src/index.ts"; import "@muster/discovery-file";`,
        "tsup.config.ts": `import { preset } from "../../tsup.preset.ts";`,
      },
    );
    expect(check()).toEqual([]);
  });
});

const inSource: [what: string, code: string, problem: string][] = [
  ["a plugin imports the runtime", `import "@muster/runtime";`, "imports @muster/runtime, the"],
  ["a plugin imports a plugin", `export * from "@muster/sim";`, "imports @muster/sim, the table"],
  ["a dynamic import", `void import("@muster/sim");`, "imports @muster/sim, the table"],
  ["a type import", `import type { Z } from "yaml";`, "imports yaml, the table"],
  ["an undeclared dependency", `import "zod";`, "imports zod, package.json does not declare it"],
  ["node: in a portable package", `import "node:fs";`, "imports node:fs in a portable package"],
  ["a builtin without node:", `import "fs";`, "imports fs without node:"],
  ["another package's source", `import "../../core/src/a.ts";`, "reaches out of its package"],
];

describe("a violation in source", () => {
  it.each(inSource)("%s", (_, code, problem) => {
    pack("extractors-lora", { peerDependencies: peer }, { "src/a.ts": code });
    expect(check()).toHaveLength(1);
    expect(check()[0]).toContain(`packages/extractors-lora/src/a.ts: ${problem}`);
  });
});

const inTests: [what: string, code: string, problem: string][] = [
  ["reaching into another package", `import "../../core/src/a.ts";`, "reaches out of its package"],
  [
    "an undeclared package",
    `import "@muster/sim";`,
    "a test imports @muster/sim, package.json does",
  ],
];

describe("the folder of a portable package that may use node:", () => {
  const uses = { "src/kubernetes/a.ts": `import "node:http";` };

  it("is that of testkit's subpath", () => {
    pack("testkit", { peerDependencies: peer }, uses);
    expect(check()).toEqual([]);
  });

  it.each(["src/a.ts", "src/kubernetes.ts", "src/kubernetes-more/a.ts"])("is not %s", (file) => {
    pack("testkit", { peerDependencies: peer }, { ...uses, [file]: `import "node:http";` });
    expect(check()).toEqual([`packages/testkit/${file}: imports node:http in a portable package`]);
  });

  it("is no other package's", () => {
    pack("extractors-lora", { peerDependencies: peer }, uses);
    expect(check()).toHaveLength(1);
  });
});

describe("a violation in a test", () => {
  it.each(inTests)("%s", (_, code, problem) => {
    pack("extractors-lora", { peerDependencies: peer }, { "src/a.test.ts": code });
    expect(check()).toHaveLength(1);
    expect(check()[0]).toContain(`packages/extractors-lora/src/a.test.ts: ${problem}`);
  });
});

const inManifest: [what: string, folder: string, manifest: object, problem: string][] = [
  ["core depends on npm", "core", { dependencies: { zod: "1" } }, "depends on zod, the table"],
  [
    "core develops against a package",
    "core",
    { devDependencies: { "@muster/testkit": "1" } },
    "core develops against @muster/testkit: a cycle",
  ],
  [
    "an npm package outside the table",
    "sim",
    { peerDependencies: peer, dependencies: { express: "1" } },
    "depends on express, the table",
  ],
  [
    "a workspace package outside the table",
    "sim",
    { peerDependencies: peer, optionalDependencies: { "@muster/runtime": "1" } },
    "depends on @muster/runtime, the table",
  ],
  [
    "core as a dependency",
    "testkit",
    { dependencies: { "@muster/core": "1" } },
    `takes @muster/core as no peer, not as peer ${corePeerRange}`,
  ],
  ["another name than the folder's", "core", { name: "@muster/kern" }, "is named @muster/kern"],
];

describe("a violation in package.json", () => {
  it.each(inManifest)("%s", (_, folder, manifest, problem) => {
    pack(folder, manifest);
    expect(check()).toHaveLength(1);
    expect(check()[0]).toContain(`packages/${folder}/package.json: ${problem}`);
  });
});

describe("a violation of a whole package", () => {
  it("a package without a row", () => {
    pack("extra", {});
    expect(check()).toEqual(["packages/extra: no row in the table of boundaries"]);
  });

  it("a name that says nothing", () => {
    pack("utils", {});
    expect(check()).toEqual([`packages/utils: "utils" says nothing, name its idea`]);
  });
});

it("this repository holds its boundaries", () => {
  expect(checkBoundaries(join(import.meta.dirname, "../.."), boundaries)).toEqual([]);
}, 60_000);
