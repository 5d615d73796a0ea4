import {
  apiVersion,
  definitionOf,
  formatPlain,
  freezePlain,
  isMusterError,
  isPluginDefinition,
  type Plugin,
  type PluginContext,
  type PluginDefinition,
  type PluginKind,
} from "@muster/core";
import type { TestApi } from "./test-api.ts";
import { settled, verify, verifyEqual, verifyFails } from "./verify.ts";

/** A configuration that must be refused. */
export interface InvalidConfig {
  readonly config: unknown;
  /** Where the problem is, such as `endpoints[2].port`. */
  readonly path: string;
}

/** What {@link describeDefinition} needs. */
export interface DefinitionHarness {
  readonly definition: PluginDefinition;
  /** Configurations that work. */
  readonly valid: readonly object[];
  readonly invalid: readonly InvalidConfig[];
  /** What `create` needs beside its configuration; default: nothing. */
  readonly context?: Partial<PluginContext> | undefined;
}

/** The contract of what a plugin package exports as default. */
export function describeDefinition({ describe, it }: TestApi, harness: DefinitionHarness): void {
  describe(`definition of ${harness.definition.type}`, () => {
    instanceTests(it, harness);
    configTests(it, harness);
  });
}

type Tests = (it: TestApi["it"], harness: DefinitionHarness) => void;

const instanceTests: Tests = (it, { definition, valid, context = {} }) => {
  it("is branded, frozen and made for this version of the contract", async () => {
    verify(isPluginDefinition(definition), "must be made by definePlugin");
    verifyEqual(definition.apiVersion, apiVersion, "apiVersion");
    const parts = [definition, definition.produces, definition.consumes];
    verify(parts.every(Object.isFrozen), "the definition and its lists must be frozen");
  });

  it("creates working instances of its kind from each valid configuration", async () => {
    verify(valid.length > 0, "the harness must give a valid configuration");
    for (const config of valid) {
      const plugin = definition.create(freezePlain(config), context) as Plugin;
      verify(isOfKind(plugin, definition.kind), `must be of kind ${definition.kind}`);
      verify(definitionOf(plugin) === definition, "the instance must know its definition");
      await stop(plugin);
    }
  });

  it("names instances after the context, by default after its type", async () => {
    const unnamed = definition.create(valid[0], { ...context, name: undefined }) as Plugin;
    const named = definition.create(valid[0], { ...context, name: "mine" }) as Plugin;
    const { type } = definition;
    verifyEqual({ ...unnamed.typedName }, { type, name: type }, "typedName without a name");
    verifyEqual({ ...named.typedName }, { type, name: "mine" }, "typedName");
    verify(unnamed !== named, "create must make a new instance each time");
    await stop(unnamed);
    await stop(named);
  });
};

const configTests: Tests = (it, { definition, valid, invalid, context = {} }) => {
  for (const { config, path } of invalid)
    it(`refuses ${formatPlain(config)} and says where`, async () => {
      const problems = await problemsOf(() => definition.create(config, context));
      const paths = problems.map((problem) => problem.path);
      verify(paths.includes(path), `no problem at "${path}", only at ${formatPlain(paths)}`);
      verify(
        problems.every((problem) => problem.message !== ""),
        "each problem needs a message",
      );
    });

  it("refuses keys it does not know, __proto__ too", async () => {
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": true}, "no-such-key": 1}');
    const config = Object.defineProperties({}, Object.getOwnPropertyDescriptors(hostile));
    await problemsOf(() => definition.create({ ...valid[0], "no-such-key": 1 }, context));
    await problemsOf(() => definition.create(config, context));
    verify(!("polluted" in {}), "Object.prototype must not change");
  });

  it("describes every key of its configuration", async () => {
    const json = definition.configSchema["~standard"].jsonSchema;
    const properties: object = json?.input({ target: "draft-2020-12" }).properties ?? {};
    for (const [key, schema] of Object.entries<{ description?: unknown }>({ ...properties }))
      verify(typeof schema.description === "string", `key "${key}" has no description`);
  });
};

async function problemsOf(
  create: () => unknown,
): Promise<readonly { message: string; path: string | undefined }[]> {
  let problems: readonly { message: string; path: string | undefined }[] = [];
  const recording = (): unknown => {
    try {
      return create();
    } catch (error) {
      if (isMusterError(error)) problems = error.problems;
      throw error;
    }
  };
  await verifyFails(recording, "create", "CONFIG_INVALID");
  verify(problems.length > 0, "the error must list its problems");
  return problems;
}

/** Instances are let go of twice: stopping must be idempotent. */
async function stop(plugin: Plugin): Promise<void> {
  await settled(plugin.stop?.(), "stop");
  await settled(plugin.stop?.(), "second stop");
}

const methods: Readonly<Record<PluginKind, readonly string[]>> = {
  discovery: ["start", "ready"],
  source: [],
  extractor: ["extract"],
  "object-watcher": ["watch"],
  generic: [],
};

const variants: readonly unknown[] = ["polling", "notification", "endpoint"];

function isOfKind(plugin: Plugin, kind: PluginKind): boolean {
  const hasVariant = kind === "source" || kind === "extractor";
  if (hasVariant && !variants.includes(Reflect.get(plugin, "variant"))) return false;
  return methods[kind].every((name) => typeof Reflect.get(plugin, name) === "function");
}
