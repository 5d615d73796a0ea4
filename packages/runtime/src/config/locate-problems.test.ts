import { definePlugin, MusterError, typedName } from "@muster/core";
import { describe, expect, it } from "vitest";
import { testRegistry } from "../../test/support/definitions.ts";
import { anything, pollingExtractor, registrant } from "../../test/support/plugins.ts";
import { resolveWiring } from "../wiring/resolve-wiring.ts";
import { locateProblems } from "./locate-problems.ts";
import { parseConfig } from "./parse-config.ts";

const needy = definePlugin({
  kind: "generic",
  type: "needy",
  configSchema: anything,
  create: (_, { typedName: { type, name } }) =>
    registrant(`${type}/${name}`, {
      ...{ sourceType: "absent", extractor: pollingExtractor("x") },
    }),
});

describe("locateProblems", () => {
  it("says where the plugin stands that a problem of the wiring concerns", async () => {
    const loaded = await parseConfig(
      `apiVersion: muster/v1
kind: MusterConfig
discovery: {pluginRef: file-discovery}
plugins:
- {type: file-discovery, parameters: {path: x}}
- {type: needy, name: n}
`,
      { file: "f", registry: testRegistry(needy) },
    );
    const { problems } = resolveWiring(loaded.runtime);
    expect(locateProblems(problems, loaded)).toMatchObject([
      { code: "SOURCE_MISSING", path: "f:6:3: plugins[1]", plugin: { type: "needy", name: "n" } },
    ]);
  });

  it("leaves other problems as they are", () => {
    const plugin = typedName("elsewhere");
    const problems = [
      new MusterError("RUNTIME_EMPTY", "nothing"),
      new MusterError("CONFIG_INVALID", "bad", { plugin, path: "interval" }),
      new MusterError("INTERNAL", "oh", { plugin }),
    ];
    expect(locateProblems(problems, { plugins: [] })).toEqual(problems);
  });
});
