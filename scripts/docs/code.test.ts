import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelServer } from "../../packages/sim/src/index.ts";
import { root } from "../workspace.ts";
import { type DocBlock, type DocPage, readPage } from "./blocks.ts";
import { docPages } from "./pages.ts";
import { createSandbox, runBlock, typeCheck } from "./sandbox.ts";

interface Example {
  /** `README.md:12`: where the block is. */
  at: string;
  /** Its folder in the sandbox. */
  folder: string;
  page: DocPage;
  block: DocBlock;
}

const examples: Example[] = docPages().flatMap((name) => {
  const page = readPage(readFileSync(join(root, name), "utf8"));
  return page.blocks.map((block) => {
    const folder = `${name}-${block.line}`.replace(/[^A-Za-z0-9]+/g, "-");
    return { at: `${name}:${block.line}`, folder, page, block };
  });
});

let sandbox: string;
let typeErrors: ReturnType<typeof typeCheck>;

beforeAll(() => {
  sandbox = createSandbox();
  for (const { folder, block } of examples)
    writeExample(folder, new Map([["block.ts", block.code]]));
  typeErrors = typeCheck(sandbox);
}, 120_000);
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

function writeExample(folder: string, files: Map<string, string>): void {
  for (const [name, content] of files) {
    const file = join(sandbox, folder, name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, content);
  }
}

async function run({ folder, page, block }: Example): Promise<void> {
  const servers = block.servers.map(({ engine }) =>
    createModelServer({ engine: engine as "vllm", port: 0, seed: 1 }),
  );
  await Promise.all(servers.map((server) => server.start()));
  try {
    const withPorts = (text: string): string =>
      block.servers.reduce(
        (replaced, { port }, index) => replaced.replaceAll(`${port}`, `${servers[index]?.port}`),
        text,
      );
    const files = new Map([...page.files, ["block.ts", block.code]]);
    for (const [name, text] of files) files.set(name, withPorts(text));
    writeExample(folder, files);
    const until = block.until === undefined ? undefined : new RegExp(block.until);
    const result = await runBlock(join(sandbox, folder), { until, timeoutMs: 20_000 });
    expect(result.ended, result.output).toBe(until ? undefined : 0);
    for (const pattern of block.prints) expect(result.output).toMatch(new RegExp(pattern));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

describe("code in Markdown has no type error", () => {
  it.each(examples)("$at", ({ folder, block }) => {
    const errors = (typeErrors.get(folder) ?? []).map(
      ({ line, message }) => `line ${block.line + line - 1}: ${message}`,
    );
    expect(errors).toEqual([]);
  });
});

describe("code in Markdown runs", () => {
  it.each(examples.filter(({ block }) => !block.typesOnly))("$at", run, 60_000);
});
