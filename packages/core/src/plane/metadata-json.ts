import { isMusterError, type MusterError } from "../errors.ts";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { encodeInstance } from "./encode-instance.ts";
import { EventChannelInstance } from "./event-channel-instance.ts";
import { scopeNames } from "./event-scope.ts";
import { JsonReader } from "./json-reader.ts";
import { badRecord } from "./plane-error.ts";
import type { DiscoveryKind } from "./plane-keys.ts";

/** An entry of DiscoveryMetadata that cannot be read, and where it is. */
export interface SkippedMetadata {
  /** Such as `endpoints`. */
  readonly map: string;
  readonly key: string;
  /** PLANE_RECORD or PLANE_RECORD_TYPE. */
  readonly problem: MusterError;
}

/** The maps of DiscoveryMetadata, in the order in which they are written. */
export const metadataMaps: readonly (readonly [map: string, kind: DiscoveryKind])[] = [
  ["endpoints", "Endpoint"],
  ["model_cards", "Model"],
  ["event_channels", "EventChannel"],
  ["event_sources", "EventSource"],
];

/** Reads the four maps; missing and null ones are empty, other members are not looked at. */
export function readMetadata(
  text: string,
  found: (key: string, instance: DiscoveryInstance) => void,
  skipped: (entry: SkippedMetadata) => void,
): void {
  const reader = new JsonReader(text);
  if (reader.peek() !== 0x7b) throw badRecord("discovery metadata must be an object");
  reader.readObject((map) => {
    const kind = metadataMaps.find(([name]) => name === map)?.[1];
    const first = reader.peek();
    if (kind === undefined || reader.text.startsWith("null", reader.position)) {
      reader.skipValue();
      return;
    }
    if (first !== 0x7b) throw badRecord(`${map} must be an object`);
    reader.readObject((key) => {
      reader.peek();
      const start = reader.position;
      reader.skipValue();
      try {
        found(key, readEntry(reader.text.slice(start, reader.position), kind));
      } catch (problem) {
        if (!isMusterError(problem)) throw problem;
        skipped({ map, key, problem });
      }
    });
  });
  reader.end();
}

function readEntry(text: string, kind: DiscoveryKind): DiscoveryInstance {
  const instance = decodeInstance(text);
  if (instance.type === kind) return withoutFlatScope(instance);
  throw badRecord(`type must be ${kind} in this map, not ${instance.type}`);
}

/** Writes one entry of a map. */
export function writeEntry(key: string, instance: DiscoveryInstance): string {
  return `${JSON.stringify(key)}:${withFlatScope(instance, encodeInstance(instance))}`;
}

/** What {@link withFlatScope} added is no part of the record. */
function withoutFlatScope(instance: DiscoveryInstance): DiscoveryInstance {
  if (instance.type !== "EventChannel" || instance.unknownFields.length === 0) return instance;
  const flat = flatScope(instance);
  const unknownFields = instance.unknownFields.filter(
    ([name, { value }]) => !(Object.hasOwn(flat, name) && value === flat[name]),
  );
  return new EventChannelInstance({ ...instance, unknownFields });
}

function flatScope({ scope }: EventChannelInstance): Readonly<Record<string, string>> {
  const [namespace = "", component = ""] = scopeNames(scope);
  return { namespace, component };
}

/**
 * On Kubernetes event channels carry `namespace` and `component` beside their scope, so that readers
 * from before scopes find them (ai-dynamo/dynamo#12840).
 */
function withFlatScope(instance: DiscoveryInstance, text: string): string {
  if (instance.type !== "EventChannel") return text;
  const present = new Set(instance.unknownFields.map(([name]) => name));
  const flat = Object.entries(flatScope(instance)).filter(([name]) => !present.has(name));
  const members = flat.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`);
  return `${text.slice(0, -1)}${members.join("")}}`;
}
