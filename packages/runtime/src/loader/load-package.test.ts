import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMusterError } from "@muster/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testRegistry } from "../../test/support/definitions.ts";
import { loadConfig } from "../config/load-config.ts";
import { loadPackage } from "./load-package.ts";

let folder: string;

/** A definition as another copy of core would make it: known by its brand, not by its class. */
const definition = (type: string, apiVersion = "muster/v1"): string => `(() => {
  const definition = {
    kind: "generic", type: "${type}", apiVersion: "${apiVersion}", description: "", produces: [], consumes: [],
    configSchema: { "~standard": { version: 1, vendor: "acme", validate: (value) => ({ value }) } },
    create: (config, context) => ({ typedName: { type: "${type}", name: context?.name ?? "${type}" }, config }),
  };
  return Object.defineProperty(definition, Symbol.for("muster.plugin-definition"), { value: true });
})()`;

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
}

async function writePackage(name: string, source: string): Promise<void> {
  const manifest = { name, type: "module", exports: { ".": "./index.js", "./more": "./index.js" } };
  await write(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  await write(`node_modules/${name}/index.js`, source);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-packages-"));
  await writePackage("muster-extractor-acme", `export default ${definition("acme-one")};`);
  await writePackage(
    "@acme/several",
    `export default [${definition("acme-two")}, ${definition("acme-three")}];`,
  );
  await writePackage(
    "@acme/named",
    `const one = ${definition("acme-first")};
    export default one;
    export { one };
    export const second = ${definition("acme-second")};
    export const x = 1;`,
  );
  await writePackage("newer", `export default ${definition("acme-newer", "muster/v2")};`);
  await writePackage("nothing", "export const x = 1;");
  await writePackage("other", "export default { type: 'looks-like-one' };");
  await writePackage("broken", "throw new Error('boom at import');");
  await writePackage("fork", `export default ${definition("acme-scorer")};`);
  await write("local.js", `export default ${definition("acme-local")};`);
  await write("package.json", '{"type": "module"}');
});
afterAll(() => rm(folder, { recursive: true }));

const load = (specifier: string) => loadPackage(specifier, join(folder, "muster.yaml"));
const problemOf = (specifier: string): Promise<string> =>
  load(specifier).then(
    () => "none",
    (error: unknown) => (isMusterError(error) ? `${error.code}: ${error.message}` : String(error)),
  );

describe("loadPackage", () => {
  it.each([
    ["muster-extractor-acme", ["acme-one"]],
    ["@acme/named", ["acme-first", "acme-second"]],
    ["muster-extractor-acme/more", ["acme-one"]],
    ["@acme/several", ["acme-two", "acme-three"]],
    ["./local.js", ["acme-local"]],
    ["./node_modules/newer/../other/../muster-extractor-acme/index.js", ["acme-one"]],
  ])("finds %s from the folder of the file", async (specifier, types) => {
    const found = await load(specifier);
    expect(found.definitions.map(({ type }) => type)).toEqual(types);
    expect(found.url).toMatch(/^file:/);
  });

  it.each([
    "https://example.com/plugin.js",
    "http://example.com/plugin.js",
    "data:text/javascript,export default 1",
    "file:///tmp/plugin.js",
    "npm:muster-extractor-acme",
    "node:fs",
    "javascript:alert(1)",
  ])("refuses the URL %s", async (specifier) => {
    expect(await problemOf(specifier)).toBe(
      `PLUGIN_LOAD: package "${specifier}" is a URL, and nothing is fetched: give an npm name, or a path that starts with ./ or ../`,
    );
  });

  it.each(["/abs/plugin.js", "C:\\plugin.js", "\\\\host\\share"])(
    "refuses the absolute path %s",
    async (specifier) => {
      expect(await problemOf(specifier)).toMatch(/^PLUGIN_LOAD: package .* is an absolute path:/);
    },
  );

  it.each(["", "#internal", "a b", "@acme", "../", "x/../y"])("refuses %j", async (specifier) => {
    expect(await problemOf(specifier)).toMatch(/^PLUGIN_LOAD: package "/);
  });

  it("refuses what is part of the JavaScript runtime", async () => {
    expect(await problemOf("fs")).toBe(
      'PLUGIN_LOAD: package "fs" is part of the JavaScript runtime',
    );
  });

  it("says what to do about a package that is not there", async () => {
    expect(await problemOf("muster-absent")).toMatch(
      /^PLUGIN_LOAD: package "muster-absent" is not found; install it where the configuration file is \(/,
    );
    expect(await problemOf("./absent.js")).toMatch(
      /^PLUGIN_LOAD: package "\.\/absent\.js" cannot be loaded: /,
    );
  });

  it("names the versions when a plugin was made for another API", async () => {
    expect(await problemOf("newer")).toBe(
      'PLUGIN_API_VERSION: package "newer": plugin "acme-newer" was made for plugin API muster/v2, ' +
        "this runtime has muster/v1; install versions of the plugin and of @muster/runtime that agree",
    );
  });

  it.each([
    [
      "nothing",
      "undefined is no plugin definition; make one with definePlugin of @muster/core (it has no default export)",
    ],
    [
      "other",
      "a value of type object is no plugin definition; make one with definePlugin of @muster/core",
    ],
  ])("refuses the default export of %s", async (specifier, text) => {
    expect(await problemOf(specifier)).toBe(`PLUGIN_INVALID: package "${specifier}": ${text}`);
  });

  it("gives the error of a package that fails at import", async () => {
    expect(await problemOf("broken")).toBe(
      'PLUGIN_LOAD: package "broken" cannot be loaded: boom at import',
    );
  });

  it.each(["await new Promise(() => {});", "export const then = () => {};"])(
    "gives up on a package that never finishes loading: %s",
    async (source) => {
      const name = `hanging-${source.length}`;
      await writePackage(name, source);
      await expect(loadPackage(name, join(folder, "x"), { timeout: 10 })).rejects.toMatchObject({
        code: "PLUGIN_LOAD",
        message: expect.stringContaining("did not finish loading within 10 ms"),
      });
    },
  );
});

describe("package: in a configuration", () => {
  async function configured(...entries: string[]) {
    const file = join(folder, "config.yaml");
    const plugins = ["{type: file-discovery, parameters: {path: x}}", ...entries];
    await writeFile(
      file,
      [
        ...[
          "apiVersion: muster/v1",
          "kind: MusterConfig",
          "discovery: {pluginRef: file-discovery}",
        ],
        ...["plugins:", ...plugins.map((entry) => `- ${entry}`)],
      ].join("\n"),
    );
    return loadConfig({ file, registry: testRegistry() });
  }

  const problems = (...entries: string[]): Promise<string[]> =>
    configured(...entries).then(
      () => [],
      (error: unknown) =>
        isMusterError(error)
          ? error.problems.map(({ path, message }) =>
              `${path}: ${message}`.slice(folder.length + 1),
            )
          : [String(error)],
    );

  it("is loaded before its plugin's entry is checked, once for all entries", async () => {
    const loaded = await configured(
      "{type: acme-two, package: '@acme/several'}",
      "{type: acme-three, package: '@acme/several'}",
      "{type: acme-local, package: ./local.js, name: mine, parameters: {a: 1}}",
    );
    expect(loaded.runtime.plugins.map(({ typedName }) => typedName.name)).toEqual([
      ...["acme-two", "acme-three", "mine"],
    ]);
    expect(loaded.plugins.find(({ typedName }) => typedName.name === "mine")).toMatchObject({
      ...{ package: "./local.js", use: "plugin" },
    });
    expect(loaded.runtime.registry.types()).toContain("acme-three");
  });

  it("leaves the registry that was given as it is", async () => {
    const registry = testRegistry();
    const before = registry.types();
    await configured("{type: acme-one, package: muster-extractor-acme}");
    expect(registry.types()).toEqual(before);
  });

  it("is reported where it is written", async () => {
    expect(
      await problems(
        "{type: acme-one, package: 'https://example.com/x.js'}",
        "{type: acme-nine, package: '@acme/several'}",
        "{type: acme-one, name: again, package: muster-absent}",
      ),
    ).toEqual([
      'config.yaml:6:29: plugins[1].package: package "https://example.com/x.js" is a URL, and nothing is fetched: give an npm name, or a path that starts with ./ or ../',
      'config.yaml:7:10: plugins[2].type: package "@acme/several" has no plugin of type "acme-nine"; it has: acme-two, acme-three',
      expect.stringMatching(
        /^config\.yaml:8:42: plugins\[3\]\.package: package "muster-absent" is not found/,
      ),
    ]);
  });

  it("may replace a built-in plugin, which is said", async () => {
    const loaded = await configured("{type: acme-scorer, package: fork}");
    expect(loaded.warnings).toContainEqual(
      expect.stringContaining(
        'type "acme-scorer" is taken from "fork", not from the built-in plugin',
      ),
    );
  });

  it("may not claim a type of another package", async () => {
    await writePackage("rival", `export default ${definition("acme-one")};`);
    expect(
      await problems(
        "{type: acme-one, package: muster-extractor-acme}",
        "{type: acme-one, name: again, package: rival}",
      ),
    ).toEqual([
      'config.yaml:7:42: plugins[2].package: packages "muster-extractor-acme" and "rival" both have the type "acme-one"',
    ]);
  });
});
