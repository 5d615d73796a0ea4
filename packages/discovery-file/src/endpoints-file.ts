import { setImmediate } from "node:timers/promises";
import { type EndpointMetadata, MusterError } from "@muster/core";
import { isMap, isScalar, isSeq, type YAMLSeq } from "yaml";
import { type EntryContext, readEntry } from "./entry.ts";
import { placeOf, readFields } from "./fields.ts";
import { maxEntries } from "./limits.ts";
import { NodeResolver } from "./nodes.ts";
import { ProblemList } from "./problems.ts";
import { readSourceText } from "./source-text.ts";
import { suggest } from "./suggest.ts";
import { parseSyntax, type Syntax } from "./syntax.ts";

/** What a file of endpoints says. */
export interface EndpointsFile {
  /** By id, `namespace/name`, in the order of the file. */
  readonly endpoints: ReadonlyMap<string, EndpointMetadata>;
  /** Ids of entries that are skipped for their problems. */
  readonly invalid: ReadonlySet<string>;
  /** How many entries are skipped whose name or namespace cannot be read. */
  readonly unnamed: number;
  /**
   * Every problem, 1,000 at most: DISCOVERY_ENTRY for an entry that is skipped, DISCOVERY_WARNING
   * for something odd in one that is used. `path` is `file:line:column: endpoints[n].field`.
   */
  readonly problems: readonly MusterError[];
  /** How many problems there are beyond those. */
  readonly omittedProblems: number;
}

/** Options of {@link parseEndpointsFile}. */
export interface ParseEndpointsOptions {
  /** What the file is called in problems; default `endpoints`. */
  readonly file?: string | undefined;
}

/** After how many entries other work gets its turn. */
const entriesPerTurn = 500;

/**
 * Reads the content of a file of endpoints, YAML or JSON, without a discovery: to check one, or to
 * fill something else with it. Entries with problems are reported, not thrown.
 *
 * @throws MusterError DISCOVERY_PARSE when it cannot be read as a whole, with every syntax error as
 *   `problems`; DISCOVERY_TOO_LARGE for more than 50,000 entries or an excess of tokens or aliases
 */
export async function parseEndpointsFile(
  content: Uint8Array,
  options: ParseEndpointsOptions = {},
): Promise<EndpointsFile> {
  const { file = "endpoints" } = options;
  const parsed = await readEndpoints(content, file);
  if (parsed === undefined) throw emptyFile(file);
  return parsed;
}

/** The error for a file that holds nothing. */
export function emptyFile(file: string): MusterError {
  return new MusterError("DISCOVERY_PARSE", "the file is empty; write `endpoints: []` for none", {
    path: file,
  });
}

/** As {@link parseEndpointsFile}; `undefined` for a file that holds nothing. */
export async function readEndpoints(
  content: Uint8Array,
  file: string,
): Promise<EndpointsFile | undefined> {
  const source = readSourceText(content, file);
  const syntax = await parseSyntax(source);
  const root = syntax?.document.contents;
  if (!syntax || (isScalar(root) && root.value === null)) return undefined;
  const problems = new ProblemList(source);
  for (const { offset, message } of syntax.warnings)
    problems.add("DISCOVERY_WARNING", { offset, path: "YAML" }, message);
  const context = { source, problems, nodes: new NodeResolver(syntax.document, source) };
  const list = entryList(syntax, context);
  return { ...(await readEntries(list, context)), ...summary(problems) };
}

function summary(problems: ProblemList): Pick<EndpointsFile, "problems" | "omittedProblems"> {
  return { problems: problems.kept, omittedProblems: problems.omitted };
}

function entryList({ document }: Syntax, { nodes, source, problems }: EntryContext): YAMLSeq {
  const refuse = (offset: number, message: string): MusterError =>
    new MusterError("DISCOVERY_PARSE", message, { path: source.position(offset) });
  const root = document.contents;
  if (!isMap(root))
    throw refuse(placeOf(root, "").offset, "the file must be a map with the key `endpoints`");
  const fields = readFields(root, "", {
    nodes,
    lineOf: (offset) => source.line(offset),
    report: (key, { offset }, message) => {
      throw refuse(offset, `${key || "top level"}: ${message}`);
    },
  });
  const field = fields.get("endpoints");
  for (const [key, { keyPlace }] of fields) {
    if (key === "endpoints") continue;
    const meant = suggest(key, ["endpoints"]);
    if (meant && !field) throw refuse(keyPlace.offset, `unknown key; did you mean ${meant}?`);
    problems.add("DISCOVERY_WARNING", keyPlace, "unknown key, ignored; known is endpoints");
  }
  if (!field) throw refuse(0, "the key `endpoints` is missing");
  if (!isSeq(field.value))
    throw refuse(field.valuePlace.offset, "`endpoints` must be a list; write [] for none");
  if (field.value.items.length <= maxEntries) return field.value;
  throw new MusterError(
    "DISCOVERY_TOO_LARGE",
    `${field.value.items.length} entries; a file may hold ${maxEntries}`,
    { path: source.file },
  );
}

async function readEntries(
  list: YAMLSeq,
  context: EntryContext,
): Promise<Pick<EndpointsFile, "endpoints" | "invalid" | "unnamed">> {
  const found = new EntrySet(context);
  for (const [index, node] of list.items.entries()) {
    found.add(node, `endpoints[${index}]`);
    if (index % entriesPerTurn === entriesPerTurn - 1) await setImmediate();
  }
  return found;
}

/** Entries by id; the last of two with the same id is used. */
class EntrySet {
  readonly endpoints: Map<string, EndpointMetadata> = new Map();
  readonly invalid: Set<string> = new Set();
  unnamed = 0;
  readonly #context: EntryContext;
  readonly #places = new Map<string, { offset: number; path: string }>();

  constructor(context: EntryContext) {
    this.#context = context;
  }

  add(node: unknown, path: string): void {
    const { id, metadata } = readEntry(node, path, this.#context);
    if (id === undefined) this.unnamed++;
    else if (metadata === undefined) this.invalid.add(id);
    else {
      this.#reportDuplicate(id, placeOf(node, path).offset);
      this.endpoints.set(id, metadata);
      this.#places.set(id, placeOf(node, path));
    }
  }

  #reportDuplicate(id: string, offset: number): void {
    const earlier = this.#places.get(id);
    if (earlier === undefined) return;
    const { source, problems } = this.#context;
    const lines = `lines ${source.line(earlier.offset)} and ${source.line(offset)}`;
    const message = `${id} is given twice, on ${lines}; the last one is used`;
    problems.add("DISCOVERY_ENTRY", earlier, message);
  }
}
