import { isMusterError } from "@muster/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { testRegistry } from "../../test/support/definitions.ts";
import { parseConfig } from "./parse-config.ts";

const registry = testRegistry();

/** Resolves to what was thrown, if anything; anything but a MusterError fails the test. */
async function outcomeOf(text: string): Promise<"valid" | "refused"> {
  try {
    await parseConfig(text, { file: "f", registry });
    return "valid";
  } catch (error) {
    if (!isMusterError(error)) throw error;
    for (const { path } of error.problems) expect(path).toMatch(/^f:[1-9]\d*:[1-9]\d*/);
    return "refused";
  }
}

const name = fc.constantFrom(
  ...["file-discovery", "metrics-data-source", "core-metrics-extractor", "lora-extractor"],
  ...["acme-scorer", "endpoint-notification-source", "a", "__proto__", ""],
);
const reference = fc.oneof(
  fc.record({ pluginRef: name }),
  fc.record({ endpoints: fc.record({ pluginRef: name }) }),
  fc.anything(),
);
const entry = fc.record(
  { type: name, name, parameters: fc.oneof(fc.constant({ path: "x" }), fc.anything()) },
  { requiredKeys: ["type"] },
);
/** Nearly a configuration: what random text never comes close to. */
const config = fc.record(
  {
    kind: fc.constantFrom("MusterConfig", "EndpointPickerConfig"),
    apiVersion: fc.constantFrom("muster/v1", "llm-d.ai/v1alpha1"),
    plugins: fc.oneof(fc.array(entry, { maxLength: 4 }), fc.anything()),
    discovery: fc.oneof(reference, fc.array(reference, { maxLength: 2 })),
    dataLayer: fc.oneof(
      fc.record({
        injectDefaults: fc.oneof(fc.boolean(), fc.anything()),
        sources: fc.array(
          fc.record({ pluginRef: name, extractors: fc.array(reference, { maxLength: 3 }) }),
          { maxLength: 3 },
        ),
      }),
      fc.anything(),
    ),
    server: fc.anything(),
  },
  { requiredKeys: ["kind"] },
);

describe("parseConfig", () => {
  it("of any bytes gives a configuration or a MusterError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        await outcomeOf(new TextDecoder().decode(bytes));
      }),
    );
  });

  it("of any YAML gives a configuration or a MusterError", async () => {
    const token = fc.constantFrom(
      ...["- ", ": ", "\n", "  ", "{", "}", "[", "]", ",", "&a ", "*a", "!t ", "<<", "|", ">", "'"],
      ...["kind", "MusterConfig", "plugins", "type", "? ", "#", "%YAML 1.1\n", "---\n", "\t", '"'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 60 }), async (tokens) => {
        await outcomeOf(tokens.join(""));
      }),
      { numRuns: 500 },
    );
  });

  it("of anything like a configuration gives one or a MusterError", async () => {
    await fc.assert(
      fc.asyncProperty(config, async (value) => {
        await outcomeOf(stringify(value, { aliasDuplicateObjects: false }));
      }),
      // a list's limit is asked for `length`, which may be anything
      { numRuns: 300, examples: [[{ kind: "MusterConfig", discovery: { length: {} } }]] },
    );
  });

  it("accepts what it should: a valid file, whatever the order of its keys", async () => {
    const valid = {
      kind: "MusterConfig",
      apiVersion: "muster/v1",
      plugins: [{ type: "file-discovery", parameters: { path: "x" } }],
      discovery: { pluginRef: "file-discovery" },
      interval: "1s",
    };
    const order = fc.shuffledSubarray(Object.entries(valid), { minLength: 5 });
    await fc.assert(
      fc.asyncProperty(order, async (entries) => {
        expect(await outcomeOf(stringify(Object.fromEntries(entries)))).toBe("valid");
      }),
      { numRuns: 20 },
    );
  });
});
