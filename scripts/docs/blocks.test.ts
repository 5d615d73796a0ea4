import { expect, it } from "vitest";
import { readPage } from "./blocks.ts";

const fence = "```";

it("finds every ts block with what its comment asks for", () => {
  const page = readPage(`# Title
${fence}ts
first();
${fence}
<!-- test: file=endpoints.yaml -->
${fence}yaml
port: 8000
${fence}

<!-- test: server=vllm:8000 server=sglang:8001 -->
<!-- test: prints="2 fresh" until=listening -->
${fence}ts
second();
${fence}
${fence}sh
npm install
${fence}
`);
  expect(page.files).toEqual(new Map([["endpoints.yaml", "port: 8000\n"]]));
  expect(page.blocks).toEqual([
    { line: 3, code: "first();\n", servers: [], prints: [], typesOnly: false },
    {
      line: 13,
      code: "second();\n",
      servers: [
        { engine: "vllm", port: 8000 },
        { engine: "sglang", port: 8001 },
      ],
      prints: ["2 fresh"],
      until: "listening",
      typesOnly: false,
    },
  ]);
});

it("joins a block that continues another, keeping line numbers", () => {
  const { blocks } = readPage(`${fence}ts
one();
${fence}
text
<!-- test: continues types -->
${fence}ts
two();
${fence}
`);
  expect(blocks).toHaveLength(1);
  expect(blocks[0]).toMatchObject({ line: 2, code: "one();\n\n\n\n\ntwo();\n", typesOnly: true });
});

it("a comment counts only directly before its block", () => {
  const { blocks } = readPage(`<!-- test: types -->\n\ntext\n\n${fence}ts\na();\n${fence}\n`);
  expect(blocks[0]?.typesOnly).toBe(false);
});

const wrong: [what: string, markdown: string, message: string][] = [
  ["an unknown directive", "<!-- test: skip -->", 'line 1: unknown test directive "skip"'],
  ["a block without end", `${fence}ts\na();`, "line 2: this code block never ends"],
  ["nothing to continue", `<!-- test: continues -->\n${fence}ts\n${fence}`, "nothing to continue"],
  ["another name for ts", `${fence}js\n${fence}`, "write ts instead of js"],
  ["a bad server", `<!-- test: server=vllm -->\n${fence}ts\n${fence}`, "is not server=engine:port"],
];

it.each(wrong)("refuses %s", (_, markdown, message) => {
  expect(() => readPage(markdown)).toThrow(message);
});
