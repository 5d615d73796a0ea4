import {
  createEndpointMetadata,
  type EndpointMetadata,
  type EndpointMetadataInit,
  endpointId,
  formatPlain,
  isMusterError,
} from "@muster/core";
import { isMap, isScalar, type YAMLMap } from "yaml";
import { type Field, type Fields, placeOf, readFields } from "./fields.ts";
import { checkLabel } from "./labels.ts";
import { maxLabels } from "./limits.ts";
import type { NodeResolver } from "./nodes.ts";
import type { Place, ProblemList } from "./problems.ts";
import type { SourceText } from "./source-text.ts";
import { suggest } from "./suggest.ts";

/** What reading entries needs. */
export interface EntryContext {
  readonly source: SourceText;
  readonly nodes: NodeResolver;
  readonly problems: ProblemList;
}

/** One entry of the file. */
export interface Entry {
  /** `namespace/name`; `undefined` when these two cannot be read. */
  readonly id: string | undefined;
  /** `undefined`: the entry has problems and is skipped. */
  readonly metadata: EndpointMetadata | undefined;
}

const entryKeys = ["name", "namespace", "address", "port", "labels", "metrics"];
const metricsKeys = ["address", "port", "scheme", "path", "enabled"];

/** What stands for a field that has a problem, so that the others are checked all the same. */
const placeholders: Readonly<Record<string, unknown>> = {
  name: "unnamed",
  address: "localhost",
  port: 1,
};

type Scalars = Record<string, unknown>;

/** Reads one entry; every problem it has goes to the list. */
export function readEntry(node: unknown, path: string, context: EntryContext): Entry {
  const map = context.nodes.resolve(node);
  const place = placeOf(node, path);
  if (isMap(map)) return new EntryReader(context, place).read(map);
  context.problems.add(
    "DISCOVERY_ENTRY",
    place,
    `an entry must be a map with name, address and port, not ${describe(map)}`,
  );
  return { id: undefined, metadata: undefined };
}

class EntryReader {
  readonly #context: EntryContext;
  readonly #place: Place;
  /** Where each field stands, for problems that core finds. */
  readonly #places = new Map<string, Place>();
  /** Fields with a problem. */
  readonly #bad = new Set<string>();

  constructor(context: EntryContext, place: Place) {
    this.#context = context;
    this.#place = place;
  }

  read(map: YAMLMap): Entry {
    const fields = this.#fields(map, "", entryKeys);
    const values: Scalars = {
      ...this.#scalars(fields, "", ["name", "namespace", "address"], ["string"]),
      ...this.#scalars(fields, "", ["port"], ["string", "number"]),
    };
    values.labels = this.#labels(fields.get("labels"));
    values.metrics = this.#metrics(fields.get("metrics"));
    const metadata = this.#check(values);
    const named = !this.#bad.has("name") && !this.#bad.has("namespace");
    return {
      id: named ? endpointId(metadata.namespacedName) : undefined,
      metadata: this.#bad.size === 0 ? metadata : undefined,
    };
  }

  #report(field: string, place: Place, message: string): void {
    this.#bad.add(field);
    this.#context.problems.add("DISCOVERY_ENTRY", place, message);
  }

  #fields(map: YAMLMap, prefix: string, known: string[]): Fields {
    const { nodes, source, problems } = this.#context;
    const path = prefix === "" ? this.#place.path : `${this.#place.path}.${prefix.slice(0, -1)}`;
    const fields = readFields(map, path, {
      nodes,
      lineOf: (offset) => source.line(offset),
      report: (key, where, message) => this.#report(prefix + key, where, message),
    });
    for (const [key, field] of fields) {
      this.#places.set(prefix + key, field.valuePlace);
      if (known.length === 0 || known.includes(key)) continue;
      const meant = suggest(key, known);
      const hint = meant ? `did you mean ${meant}?` : `known are ${known.join(", ")}`;
      problems.add("DISCOVERY_WARNING", field.keyPlace, `unknown key, ignored; ${hint}`);
    }
    return fields;
  }

  #scalars(fields: Fields, prefix: string, keys: string[], types: string[]): Scalars {
    const values: Scalars = {};
    for (const key of keys) {
      const field = fields.get(key);
      if (field?.value === undefined) continue;
      const value = isScalar(field.value) ? field.value.value : field.value;
      if (types.includes(typeof value)) values[key] = value;
      else this.#wrongType(prefix + key, field, types);
    }
    return values;
  }

  #wrongType(name: string, field: Field, types: string[]): void {
    const { value } = field;
    const quoted = isScalar(value) && types.includes("string") ? formatPlain(value.source) : "";
    const hint = quoted ? `; quote it: ${quoted}` : "";
    const rule = `must be a ${types.join(" or ")}, not ${describe(value)}${hint}`;
    this.#report(name, field.valuePlace, rule);
  }

  #labels(field: Field | undefined): Record<string, string> | undefined {
    if (field?.value === undefined) return undefined;
    if (!isMap(field.value)) {
      this.#wrongType("labels", field, ["map"]);
      return undefined;
    }
    const fields = this.#fields(field.value, "labels.", []);
    if (fields.size > maxLabels)
      this.#report("labels", field.valuePlace, `more than ${maxLabels} labels`);
    const labels: Record<string, string> = Object.create(null);
    for (const [key, label] of fields) this.#label(labels, key, label);
    return labels;
  }

  #label(labels: Record<string, string>, key: string, field: Field): void {
    const value = isScalar(field.value) ? field.value.value : undefined;
    const name = `labels.${key}`;
    if (typeof value !== "string") {
      this.#wrongType(name, field, ["string"]);
      return;
    }
    labels[key] = value;
    const problem = checkLabel(key, value);
    if (problem?.usable === false) this.#report(name, field.valuePlace, problem.message);
    else if (problem)
      this.#context.problems.add("DISCOVERY_WARNING", field.valuePlace, problem.message);
  }

  #metrics(field: Field | undefined): Scalars | undefined {
    if (field?.value === undefined) return undefined;
    if (!isMap(field.value)) {
      this.#wrongType("metrics", field, ["map"]);
      return undefined;
    }
    const fields = this.#fields(field.value, "metrics.", metricsKeys);
    return {
      ...this.#scalars(fields, "metrics.", ["address", "scheme", "path"], ["string"]),
      ...this.#scalars(fields, "metrics.", ["port"], ["string", "number"]),
      ...this.#scalars(fields, "metrics.", ["enabled"], ["boolean"]),
    };
  }

  /** Core's rules hold; asked again without each field it refuses, so that all are reported. */
  #check(values: Scalars): EndpointMetadata {
    for (const required of ["name", "address", "port"]) {
      if (values[required] !== undefined) continue;
      values[required] = placeholders[required];
      if (!this.#bad.has(required))
        this.#report(required, this.#places.get(required) ?? this.#place, `${required} is missing`);
    }
    for (;;) {
      try {
        return createEndpointMetadata(values as unknown as EndpointMetadataInit);
      } catch (error) {
        if (!isMusterError(error) || !withdraw(values, error.path)) throw error;
        const field = error.path ?? "";
        this.#report(field, this.#places.get(field) ?? this.#place, error.message);
      }
    }
  }
}

/** Replaces a refused field by a placeholder or nothing; false when there is none of that path. */
function withdraw(values: Scalars, path = ""): boolean {
  const [outer = "", inner] = path.split(".", 2);
  const owner = inner === undefined ? values : (values[outer] as Scalars | undefined);
  const key = inner ?? outer;
  if (owner?.[key] === undefined) return false;
  owner[key] = inner === undefined ? placeholders[outer] : undefined;
  return true;
}

function describe(value: unknown): string {
  if (value === undefined || (isScalar(value) && value.value === null)) return "nothing";
  if (!isScalar(value)) return isMap(value) ? "a map" : "a list";
  if (typeof value.value === "string") return "a text";
  return `${typeof value.value} ${formatPlain(value.value)}`;
}
