import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@muster/core";
import { createRecordingLogger } from "@muster/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { configOf, testRegistry } from "../../test/support/definitions.ts";
import { parseConfig } from "./parse-config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-secrets-"));
  await writeFile(join(folder, "token"), "from a file\r\n");
  await writeFile(join(folder, "empty"), "\n");
  await writeFile(join(folder, "huge"), "x".repeat(64 * 1024 + 1));
});
afterAll(() => rm(folder, { recursive: true }));

/** `${text}`, which the linter takes for a template string in the wrong quotes. */
const ref = (text: string): string => `\${${text}}`;

const leaky = definePlugin({
  kind: "generic",
  type: "leaky",
  configSchema: z.strictObject({
    password: z
      .string()
      .refine((value) => value !== "hunter2", { error: ({ input }) => `${input} is too easy` })
      .meta({ format: "password" }),
  }),
  create: ({ password }) => {
    throw new Error(`cannot log in with ${password}`);
  },
});

function parse(token: string, more = "") {
  return parseConfig(
    `apiVersion: muster/v1
kind: MusterConfig
plugins:
- {type: file-discovery, parameters: {path: x}}
${more}
discovery: {pluginRef: file-discovery}
server: {token: ${JSON.stringify(token)}}
`,
    {
      file: join(folder, "muster.yaml"),
      registry: testRegistry(leaky),
      env: { TOKEN: "from the environment", EASY: "hunter2", HARD: "a$&b", EMPTY: "" },
    },
  );
}

async function problemsOf(token: string, more = ""): Promise<string[]> {
  const error = await parse(token, more).then(
    () => new Error("is valid"),
    (reason: Error & { problems: Error[] }) => reason,
  );
  expect(JSON.stringify(error)).not.toContain("hunter2");
  return ("problems" in error ? error.problems : [error]).map(({ message }) => message);
}

describe("secret fields", () => {
  it("read the environment", async () => {
    expect((await parse(ref("env:TOKEN"))).server.token).toBe("from the environment");
  });

  it("read files, from the folder of the configuration, without the newline at the end", async () => {
    expect((await parse(ref("file:token"))).server.token).toBe("from a file");
    const absolute = ref(`file:${join(folder, "token")}`);
    expect((await parse(absolute)).server.token).toBe("from a file");
  });

  it("may mix text and references, and take values literally", async () => {
    const mixed = `Bearer ${ref("env:HARD")}-${ref("file:token")}`;
    expect((await parse(mixed)).server.token).toBe("Bearer a$&b-from a file");
    expect((await parse("plain")).server.token).toBe("plain");
  });

  it("of plugins are known by their schema: writeOnly, in maps too", async () => {
    const parameters = `{bearerToken: "${ref("env:TOKEN")}", headers: {x-key: "${ref("file:token")}"}}`;
    const loaded = await parse("t", `- {type: metrics-data-source, parameters: ${parameters}}`);
    expect(configOf(loaded.runtime.sources[0]?.source)).toMatchObject({
      bearerToken: "from the environment",
      headers: { "x-key": "from a file" },
    });
  });

  it.each([
    ["env:NOPE", 'environment variable "NOPE" is not set'],
    ["env:toString", 'environment variable "toString" is not set'],
    ["env:EMPTY", 'environment variable "EMPTY" is empty'],
    ["file:empty", 'file "empty" is empty'],
    ["file:huge", 'file "huge" is larger than 64 KiB'],
  ])("cannot be had from %s", async (text, problem) => {
    expect(await problemsOf(ref(text))).toEqual([problem]);
  });

  it("cannot be had from a file that is not there", async () => {
    expect(await problemsOf(ref("file:absent"))).toEqual([
      expect.stringMatching(/^file "absent" cannot be read: ENOENT/),
    ]);
  });

  it("are the only ones in which references are read", async () => {
    const more = `- {type: metrics-data-source, parameters: {path: "${ref("env:TOKEN")}"}}`;
    expect(await problemsOf("t", more)).toEqual([
      `${ref("env:TOKEN")} is read in secret fields only, and this is none: write the value itself`,
    ]);
  });

  it("never show in a problem", async () => {
    const easy = `- {type: leaky, parameters: {password: "${ref("env:EASY")}"}}`;
    expect(await problemsOf("t", easy)).toEqual(["*** is too easy"]);
    const literal = "- {type: leaky, parameters: {password: hunter2}}";
    expect(await problemsOf("t", literal)).toEqual(["*** is too easy"]);
    const hard = `- {type: leaky, parameters: {password: "${ref("env:HARD")}"}}`;
    expect(await problemsOf("t", hard)).toEqual(["cannot log in with ***"]);
  });

  it("are never logged", async () => {
    const logger = createRecordingLogger();
    await parseConfig(
      `kind: MusterConfig\napiVersion: muster/v1\nserver: {token: "${ref("env:T")}"}\n`,
      { file: "f", registry: testRegistry(), env: { T: "hunter2" }, logger },
    ).catch(() => undefined);
    expect(JSON.stringify(logger.lines)).not.toContain("hunter2");
  });
});
