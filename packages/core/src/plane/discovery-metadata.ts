import { MusterError } from "../errors.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import type { EndpointInstance } from "./endpoint-instance.ts";
import type { EventChannelInstance } from "./event-channel-instance.ts";
import type { EventSourceInstance } from "./event-source-instance.ts";
import { matchesQuery } from "./matches-query.ts";
import { metadataMaps, readMetadata, type SkippedMetadata, writeEntry } from "./metadata-json.ts";
import type { ModelInstance } from "./model-instance.ts";
import { changedTaints } from "./model-taints.ts";
import { wrongVariant } from "./plane-error.ts";
import type { DiscoveryKind } from "./plane-keys.ts";
import { queryShape } from "./query-shape.ts";
import type { RawJson } from "./raw-json.ts";

type Records = Map<string, DiscoveryInstance>;

/**
 * What one worker has registered, as its Kubernetes object (`DynamoWorkerMetadata`) and its system
 * server hold it: four maps from key to record. Keys are whatever their writer chose; who a record is
 * comes from its value, and each id is there once.
 */
export class DiscoveryMetadata {
  readonly #maps: Readonly<Record<DiscoveryKind, Records>> = {
    Endpoint: new Map(),
    Model: new Map(),
    EventChannel: new Map(),
    EventSource: new Map(),
  };
  /** The key that an id's record has, whatever its writer chose. */
  readonly #keys = new Map<string, string>();

  get endpoints(): ReadonlyMap<string, EndpointInstance> {
    return this.#maps.Endpoint as Map<string, EndpointInstance>;
  }

  get modelCards(): ReadonlyMap<string, ModelInstance> {
    return this.#maps.Model as Map<string, ModelInstance>;
  }

  get eventChannels(): ReadonlyMap<string, EventChannelInstance> {
    return this.#maps.EventChannel as Map<string, EventChannelInstance>;
  }

  get eventSources(): ReadonlyMap<string, EventSourceInstance> {
    return this.#maps.EventSource as Map<string, EventSourceInstance>;
  }

  /**
   * Reads metadata. Missing and null maps are empty, other members are not looked at. An entry that
   * cannot be read is left out and reported; its neighbours are not touched.
   *
   * @throws MusterError PLANE_JSON, PLANE_RECORD when the whole or a map is no object.
   */
  static fromJson(
    json: string | RawJson,
    onSkipped: (entry: SkippedMetadata) => void = () => undefined,
  ): DiscoveryMetadata {
    const metadata = new DiscoveryMetadata();
    const text = typeof json === "string" ? json : json.text;
    readMetadata(text, (key, instance) => metadata.#put(instance, key), onSkipped);
    return metadata;
  }

  /** The four maps as JSON; event channels also carry what readers from before scopes look for. */
  toJson(): string {
    const maps = metadataMaps.map(([name, kind]) => {
      const entries = [...this.#maps[kind]].map(([key, instance]) => writeEntry(key, instance));
      return `"${name}":{${entries.join(",")}}`;
    });
    return `{${maps.join(",")}}`;
  }

  /** The records that match. */
  filter(query: DiscoveryQuery): DiscoveryInstance[] {
    const records = [...this.#maps[queryShape(query).kind].values()];
    return records.filter((instance) => matchesQuery(query, instance));
  }

  /** Puts an endpoint in, or in place of the one with its id. PLANE_VARIANT for another kind. */
  registerEndpoint(instance: DiscoveryInstance): void {
    this.#put(expect("Endpoint", instance));
  }

  /** Puts an event channel in, or in place of the one with its id. PLANE_VARIANT for another kind. */
  registerEventChannel(instance: DiscoveryInstance): void {
    this.#put(expect("EventChannel", instance));
  }

  /**
   * Puts a model in.
   *
   * @returns what is registered: one that is there already stays, taints included
   * @throws MusterError PLANE_CONFLICT when one with its id is there and differs in more than taints,
   * PLANE_VARIANT for another kind.
   */
  registerModelCard(instance: DiscoveryInstance): ModelInstance {
    const model = expect("Model", instance);
    const existing = this.#find(model.id());
    if (existing?.type !== "Model") return this.#put(model);
    if (existing.equals(model) || changedTaints(existing, model) !== undefined) return existing;
    throw new MusterError(
      "PLANE_CONFLICT",
      `model record ${model.id().toPath()} is registered with another card: unregister it first`,
    );
  }

  /**
   * Puts an event source in; the same again changes nothing.
   *
   * @throws MusterError PLANE_CONFLICT when one with its id is there and differs, PLANE_VARIANT for
   * another kind.
   */
  registerEventSource(instance: DiscoveryInstance): void {
    const source = expect("EventSource", instance);
    const existing = this.#find(source.id());
    if (existing !== undefined && !existing.equals(source))
      throw new MusterError(
        "PLANE_CONFLICT",
        `Event source incarnation '${source.id().toPath()}' cannot change its descriptor`,
      );
    if (existing === undefined) this.#put(source);
  }

  /** Takes an endpoint out; one that is not there is no error. PLANE_VARIANT for another kind. */
  unregisterEndpoint(record: DiscoveryInstance | DiscoveryInstanceId): void {
    this.#remove("Endpoint", record);
  }

  /** Takes a model out; one that is not there is no error. PLANE_VARIANT for another kind. */
  unregisterModelCard(record: DiscoveryInstance | DiscoveryInstanceId): void {
    this.#remove("Model", record);
  }

  /** Takes an event channel out; one that is not there is no error. PLANE_VARIANT for another kind. */
  unregisterEventChannel(record: DiscoveryInstance | DiscoveryInstanceId): void {
    this.#remove("EventChannel", record);
  }

  /** Takes an event source out; one that is not there is no error. PLANE_VARIANT for another kind. */
  unregisterEventSource(record: DiscoveryInstance | DiscoveryInstanceId): void {
    this.#remove("EventSource", record);
  }

  #put<T extends DiscoveryInstance>(instance: T, key: string = instance.id().toPath()): T {
    const records = this.#maps[instance.type];
    const id = instance.id().key;
    const oldKey = this.#keys.get(id);
    const replaced = records.get(key);
    if (oldKey !== undefined) records.delete(oldKey);
    if (replaced !== undefined) this.#keys.delete(replaced.id().key);
    records.set(key, instance);
    this.#keys.set(id, key);
    return instance;
  }

  #find(id: DiscoveryInstanceId): DiscoveryInstance | undefined {
    const key = this.#keys.get(id.key);
    return key === undefined ? undefined : this.#maps[id.type].get(key);
  }

  #remove(kind: DiscoveryKind, record: DiscoveryInstance | DiscoveryInstanceId): void {
    if (record.type !== kind) throw wrongVariant(kind, record.type);
    const id = "id" in record ? record.id().key : record.key;
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#maps[kind].delete(key);
    this.#keys.delete(id);
  }
}

function expect<Kind extends DiscoveryKind>(
  kind: Kind,
  instance: DiscoveryInstance,
): Extract<DiscoveryInstance, { readonly type: Kind }> {
  if (instance.type !== kind) throw wrongVariant(kind, instance.type);
  return instance as Extract<DiscoveryInstance, { readonly type: Kind }>;
}
