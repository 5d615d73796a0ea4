/** One code block of a Markdown page that a test runs. */
export interface DocBlock {
  /** Line of the first line of code, counted from 1. */
  line: number;
  code: string;
  /** Simulated servers that run meanwhile; `port` stands for each one's real port. */
  servers: { engine: string; port: number }[];
  /** Regular expressions that the output has to match. */
  prints: string[];
  /** Output after which a block that does not end by itself is stopped. */
  until?: string;
  /** Only type-checked. */
  typesOnly: boolean;
}

/** What a page offers to tests. */
export interface DocPage {
  blocks: DocBlock[];
  /** Files that the page shows, by name. */
  files: Map<string, string>;
}

interface Fence {
  language: string;
  line: number;
  code: string;
  directives: [name: string, value: string][];
}

/**
 * Reads the blocks of a page by the convention of CONTRIBUTING.md: every `ts` block is run, and
 * `<!-- test: ... -->` before a block says what it needs.
 *
 * @throws Error for an unknown directive, a fence that never ends, or a language that hides from tests
 */
export function readPage(markdown: string): DocPage {
  const page: DocPage = { blocks: [], files: new Map() };
  for (const fence of fences(markdown)) {
    if (/^(typescript|javascript|js|mjs)$/.test(fence.language))
      throw new Error(
        `line ${fence.line}: write ts instead of ${fence.language}, so that it is run`,
      );
    if (fence.language === "ts") addBlock(page, fence);
    else addFile(page, fence);
  }
  return page;
}

function fences(markdown: string): Fence[] {
  const found: Fence[] = [];
  let directives: Fence["directives"] = [];
  let open: Fence | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    if (open && text.startsWith("```")) {
      found.push(open);
      open = undefined;
      directives = [];
    } else if (open) {
      open.code += `${text}\n`;
    } else if (text.startsWith("```")) {
      const language = text.slice(3).trim();
      open = { language, line: index + 2, code: "", directives };
    } else {
      const comment = /^<!-- test: (.*) -->$/.exec(text)?.[1];
      if (comment) directives = [...directives, ...readDirectives(comment, index + 1)];
      else if (text.trim() !== "") directives = [];
    }
  }
  if (open) throw new Error(`line ${open.line}: this code block never ends`);
  return found;
}

function readDirectives(comment: string, line: number): Fence["directives"] {
  return [...comment.matchAll(/(\S+?)(?:=(?:"([^"]*)"|(\S+)))?(?:\s+|$)/g)].map((match) => {
    const [, name = "", quoted, bare] = match;
    if (!/^(server|file|prints|until|continues|types)$/.test(name))
      throw new Error(`line ${line}: unknown test directive "${name}"`);
    return [name, quoted ?? bare ?? ""];
  });
}

function addBlock(page: DocPage, { line, code, directives }: Fence): void {
  const continues = directives.some(([name]) => name === "continues");
  const previous = continues ? page.blocks.at(-1) : undefined;
  if (continues && !previous) throw new Error(`line ${line}: nothing to continue`);
  const block = previous ?? { line, code: "", servers: [], prints: [], typesOnly: false };
  // Blank lines keep the line numbers of what the type checker finds.
  block.code += "\n".repeat(line - block.line - block.code.split("\n").length + 1) + code;
  for (const [name, value] of directives) {
    if (name === "server") block.servers.push(readServer(value, line));
    if (name === "prints") block.prints.push(value);
    if (name === "until") block.until = value;
    if (name === "types") block.typesOnly = true;
  }
  if (!previous) page.blocks.push(block);
}

function readServer(value: string, line: number): { engine: string; port: number } {
  const [, engine, port] = /^([a-z0-9-]+):(\d{4,5})$/.exec(value) ?? [];
  if (!engine || !port) throw new Error(`line ${line}: server=${value} is not server=engine:port`);
  return { engine, port: Number(port) };
}

function addFile(page: DocPage, { code, directives }: Fence): void {
  for (const [name, value] of directives) if (name === "file") page.files.set(value, code);
}
