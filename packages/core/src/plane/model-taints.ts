import { isMusterError, MusterError } from "../errors.ts";
import { equalJson } from "./equal-json.ts";
import { JsonMembers } from "./json-members.ts";
import { JsonReader } from "./json-reader.ts";
import { cardObject, readStrings } from "./model-identity.ts";
import { ModelInstance } from "./model-instance.ts";
import { RawJson } from "./raw-json.ts";
import { badCard } from "./validate-card.ts";

/** Taints that follow from a card's topology domains; nobody sets them. */
const topologyPrefix = "dynamo.topology/";

type Members = Readonly<Record<string, unknown>>;

/**
 * The taints of a model, sorted, without duplicates.
 *
 * @throws MusterError PLANE_CARD when the card's are no list of strings.
 */
export function readTaints(model: ModelInstance): readonly string[] {
  const { taints = null } = runtimeConfig(model);
  return taints === null ? [] : sorted(readStrings(model, "runtime_config.taints", taints));
}

/**
 * A base model with other taints: those given and one `dynamo.topology/{domain}={value}` for each of
 * the card's topology domains, sorted. Nothing else in the card changes, to the byte.
 *
 * @throws MusterError PLANE_TAINT for a LoRA adapter and for taints that begin with
 * `dynamo.topology/`, PLANE_CARD when the card has not the shape it must have.
 */
export function withTaints(model: ModelInstance, taints: Iterable<string>): ModelInstance {
  if (model.modelSuffix !== undefined)
    throw new MusterError("PLANE_TAINT", `${model.id().toPath()} is an adapter: taint its base`);
  const all = [...taints];
  for (const taint of all)
    if (typeof taint !== "string" || taint.startsWith(topologyPrefix))
      throw new MusterError("PLANE_TAINT", `taint ${JSON.stringify(taint)} is not for setting`);
  return applyTaints(model, [...all, ...topologyTaints(model)]);
}

/**
 * A model as a `ModelTaintsUpdated` leaves it: its taints are those of the event, sorted; nothing else
 * in the card changes, to the byte.
 *
 * @throws MusterError PLANE_CARD when the card has not the shape it must have.
 */
export function applyTaints(model: ModelInstance, taints: readonly string[]): ModelInstance {
  runtimeConfig(model);
  const cardJson = RawJson.parse(replaceTaints(model, JSON.stringify(sorted(taints))));
  return new ModelInstance({ ...model, cardJson });
}

/**
 * The sorted taints of `candidate` if it is `existing` in every known respect but taints; undefined
 * when more differs, or when a card cannot be read.
 */
export function changedTaints(
  existing: ModelInstance,
  candidate: ModelInstance,
): readonly string[] | undefined {
  try {
    const same =
      existing.id().equals(candidate.id()) && equalJson(untainted(existing), untainted(candidate));
    return same ? readTaints(candidate) : undefined;
  } catch (error) {
    // a card without the shape of one cannot differ in its taints alone
    if (isMusterError(error)) return undefined;
    throw error;
  }
}

function runtimeConfig(model: ModelInstance): Members {
  const { runtime_config: config = null } = cardObject(model);
  if (config === null) return {};
  if (typeof config === "object" && !Array.isArray(config)) return config as Members;
  throw badCard(model, "runtime_config must be an object");
}

function topologyTaints(model: ModelInstance): string[] {
  const { topology_domains: domains = null } = runtimeConfig(model);
  if (domains === null) return [];
  if (typeof domains !== "object" || Array.isArray(domains))
    throw badCard(model, "runtime_config.topology_domains must be an object");
  return Object.entries(domains).map(([domain, value]) => {
    if (typeof value !== "string")
      throw badCard(model, `runtime_config.topology_domains.${domain} must be a string`);
    return `${topologyPrefix}${domain}=${value}`;
  });
}

/** The card without its taints, as if it had a configuration in any case. */
function untainted(model: ModelInstance): unknown {
  const card = Object.assign(Object.create(null), cardObject(model));
  const config = Object.assign(Object.create(null), runtimeConfig(model));
  delete config.taints;
  card.runtime_config = config;
  return card;
}

function replaceTaints(model: ModelInstance, taints: string): string {
  const { text } = model.cardJson;
  const config = member(text, "runtime_config");
  if (config === undefined) return insert(text, "runtime_config", `{"taints":${taints}}`);
  const inner = text.slice(config.start, config.end);
  return text.slice(0, config.start) + replaceIn(inner, taints) + text.slice(config.end);
}

function replaceIn(config: string, taints: string): string {
  if (config === "null") return `{"taints":${taints}}`;
  const old = member(config, "taints");
  if (old === undefined) return insert(config, "taints", taints);
  return config.slice(0, old.start) + taints + config.slice(old.end);
}

function member(object: string, name: string): ReturnType<JsonMembers["find"]> {
  return new JsonMembers(new JsonReader(object)).find(name);
}

/** Adds a member at the end of an object. */
function insert(object: string, name: string, value: string): string {
  const head = object.slice(0, -1);
  const comma = /^\{\s*$/.test(head) ? "" : ",";
  return `${head}${comma}"${name}":${value}}`;
}

/** Sorted as Rust sorts strings, by UTF-8 bytes, which is by code point; without duplicates. */
function sorted(taints: readonly string[]): string[] {
  return [...new Set(taints)].sort(byCodePoint);
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, character] of left.entries()) {
    const difference =
      (character.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
