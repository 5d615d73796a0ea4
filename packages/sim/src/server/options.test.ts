import { MusterError } from "@muster/core";
import { describe, expect, it } from "vitest";
import { type ModelServerOptions, resolveModelServerOptions } from "./options.ts";

function problems(options: object): string[] {
  try {
    resolveModelServerOptions(options as ModelServerOptions);
  } catch (error) {
    if (!(error instanceof MusterError) || error.code !== "CONFIG_INVALID") throw error;
    return (error.problems.length === 0 ? [error] : error.problems).map(({ message }) => message);
  }
  return [];
}

describe("a server's options", () => {
  it("have defaults", () => {
    expect(resolveModelServerOptions({})).toMatchObject({
      engine: "vllm",
      engineVersion: "main-2026",
      host: "127.0.0.1",
      port: 0,
      admin: true,
      maxModelLen: 8192,
    });
    expect(resolveModelServerOptions({ numBlocks: 10 }).maxModelLen).toBe(160);
    expect(resolveModelServerOptions({ engine: "sglang" }).engineVersion).toBe("0.5.12");
    expect(resolveModelServerOptions({ host: "0.0.0.0" }).admin).toBe(false);
    expect(resolveModelServerOptions({ host: "0.0.0.0", admin: true }).admin).toBe(true);
  });

  it.each([
    [
      { engine: "ollama" },
      'model server: engine must be one of vllm, sglang, trtllm-serve, not "ollama"',
    ],
    [
      { engineVersion: "9" },
      'model server: engineVersion must be one of main-2026, 0.11.0, not "9"',
    ],
    [{ port: 70_000 }, "model server: port must be a number from 0 to 65535, not 70000"],
    [{ port: 1.5 }, "model server: port must be a whole number from 0 to 65535, not 1.5"],
    [{ ranks: Number.NaN }, "model server: ranks must be a whole number from 1 to 64, not NaN"],
    [
      { host: "not a host" },
      'model server: host must be an address or a host name, not "not a host"',
    ],
    [{ model: "" }, 'model server: model must be a text of 1 to 256 printable characters, not ""'],
    [{ loras: ["a", "a"] }, 'model server: loras[1] repeats "a"'],
    [
      { loras: ["a,b"] },
      "model server: loras[0] must be a text of 1 to 256 characters without commas",
    ],
    [{ model: "m", loras: ["m"] }, "model server: loras[0] has the name of the model"],
    [
      { prefixCacheHitRate: 2 },
      "model server: prefixCacheHitRate must be a number from 0 to 1, not 2",
    ],
    [
      { numBlocks: 2, maxModelLen: 100 },
      "model server: maxModelLen must be a number from 2 to 32, not 100",
    ],
    [{ gzip: "yes" }, 'model server: gzip must be true or false, not "yes"'],
  ])("%o is refused", (options, message) => expect(problems(options)).toEqual([message]));

  it("are all checked at once, unknown ones too", () => {
    const found = problems({ port: -1, seed: -1, portt: 5 });
    expect(found).toHaveLength(3);
    expect(found[2]).toMatch(/portt is not known; known are .*port/);
  });
});
