import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Manifest, packagesIn, root, type WorkspacePackage } from "../workspace.ts";
import { configTable, type JsonSchema, withConfigTable } from "./config-table.ts";

/** What a schema offers through the standard interface (zod 4 does). */
interface DescribesItself {
  "~standard": { jsonSchema: { input(options: { target: "draft-2020-12" }): JsonSchema } };
}

/** What a package with configuration exports: its plugin as default, or `configSchema` by name. */
interface ConfiguredModule {
  default?: { configSchema: DescribesItself };
  configSchema?: DescribesItself;
  [name: string]: unknown;
}

/** What the runtime exports to describe a whole configuration file, plugins included. */
interface Runtime extends ConfiguredModule {
  createPluginRegistry(definitions: readonly object[]): object;
  configJsonSchema(registry: object): object;
}

/** What the repository's generated files must hold. */
export interface Generated {
  /** Content by absolute path. */
  files: Map<string, string>;
  /** What could not be generated, one line each. */
  problems: string[];
}

/** Makes the content of every generated file; one package's problem does not stop the others. */
export async function generate(): Promise<Generated> {
  const files = new Map<string, string>();
  const problems: string[] = [];
  for (const found of packagesIn("packages")) {
    files.set(join(found.path, "jsr.json"), json(jsrManifest(found.manifest)));
    if (!found.manifest.exports?.["./schema.json"]) continue;
    try {
      for (const [name, content] of await configFiles(found))
        files.set(join(found.path, name), content);
    } catch (error) {
      problems.push(`${found.folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { files, problems };
}

/** What is wrong with the generated files as they are, one line each. */
export async function staleFiles(): Promise<string[]> {
  const { files, problems } = await generate();
  const stale = [...files].filter(
    ([file, content]) => !existsSync(file) || readFileSync(file, "utf8") !== content,
  );
  const lines = stale.map(([file]) => `${relative(root, file)} is stale: npm run generate`);
  return [...problems, ...lines];
}

async function configFiles(found: WorkspacePackage): Promise<[name: string, content: string][]> {
  const module = await moduleOf(found);
  // the keys of a whole file have a page of their own, docs/config.md
  if (isRuntime(module)) return [["schema.json", json(await wholeFileSchema(module))]];
  const schema = configSchemaOf(module);
  const readme = readFileSync(join(found.path, "README.md"), "utf8");
  return [
    ["schema.json", json(schema)],
    ["README.md", withConfigTable(readme, configTable(schema))],
  ];
}

function configSchemaOf(module: ConfiguredModule): JsonSchema {
  const schema = module.configSchema ?? module.default?.configSchema;
  if (!schema) throw new Error("exports ./schema.json, but no configSchema");
  return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
}

/** Schema of a configuration file with the parameters of every plugin in this repository. */
async function wholeFileSchema(runtime: Runtime): Promise<object> {
  const modules = await Promise.all(packagesIn("packages").map(moduleOf));
  // plugins by type: a module gives its exports in the order of their names
  const plugins = modules.flatMap((module) => Object.values(module).filter(isDefinition));
  const definitions = plugins.sort((a, b) => (a.type < b.type ? -1 : 1));
  return runtime.configJsonSchema(runtime.createPluginRegistry(definitions));
}

/** As the runtime tells a package's plugins from its other exports. */
function isDefinition(value: unknown): value is { readonly type: string } {
  const brand = Symbol.for("muster.plugin-definition");
  return typeof value === "object" && value !== null && brand in value;
}

function isRuntime(module: ConfiguredModule): module is Runtime {
  return "configJsonSchema" in module;
}

function moduleOf({ path }: WorkspacePackage): Promise<ConfiguredModule> {
  return import(pathToFileURL(join(path, "src", "index.ts")).href);
}

/** package.json as JSR wants it: the sources as exports, npm packages as imports. */
function jsrManifest(manifest: Manifest): object {
  const { name, version, license, exports = {}, files = [] } = manifest;
  const shipped = files.filter((file) => file !== "dist" && file !== "schema.json");
  const sources = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [[path, target["@muster/source"]]],
  );
  const imports = Object.entries(npmPackages(manifest)).map(([dependency, range]) => [
    dependency,
    `npm:${dependency}@${range}`,
  ]);
  return {
    name,
    version,
    license,
    exports: Object.fromEntries(sources),
    ...(imports.length > 0 && { imports: Object.fromEntries(imports) }),
    publish: {
      // npm gets what was built, JSR the sources it is built from
      include: ["src", ...shipped, "README.md", "LICENSE", "jsr.json"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts"],
    },
  };
}

/** Dependencies and peers from npm; JSR knows no optional ones. Packages of ours are on JSR themselves. */
export function npmPackages(manifest: Manifest): Record<string, string> {
  const peers = Object.entries(manifest.peerDependencies ?? {});
  const foreign = peers.filter(([name]) => !name.startsWith("@muster/"));
  return { ...manifest.dependencies, ...Object.fromEntries(foreign) };
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
