import {
  type Clock,
  type DiscoveryNotifier,
  discovered,
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
  MusterError,
  toMusterError,
} from "@muster/core";
import { type RegisteredModels, registeredModels } from "@muster/core/attributes";
import {
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type EndpointInstance,
  EndpointInstanceId,
  type ModelInstance,
} from "@muster/core/plane";
import type { KvEndpointsSettings } from "./config.ts";
import type { Departures } from "./departures.ts";
import { describeEndpoint } from "./describe-endpoint.ts";
import { EndpointModels } from "./endpoint-models.ts";
import type { Reporter } from "./reporter.ts";
import { sameModels } from "./served-models.ts";

/** An endpoint with more models than this is reported late when they change. */
const manyModels = 50;
/** How late at most, ms: whoever learns of them pays for all of them each time. */
const late = 50;

/** What a {@link Roll} needs. */
export interface RollOptions {
  readonly notifier: DiscoveryNotifier;
  readonly settings: Pick<KvEndpointsSettings, "metrics" | "labels">;
  readonly reporter: Reporter;
  readonly clock: Clock;
  /** When records that are gone are given up. */
  readonly departures: Departures;
}

/** What was reported of an endpoint. */
interface Reported {
  readonly metadata: EndpointMetadata;
  readonly models: RegisteredModels | undefined;
}

/** All records of one served endpoint of one instance. They come in any order. */
interface Entry {
  /** Key of the endpoint's record. */
  readonly key: string;
  instance?: EndpointInstance | undefined;
  /** Undefined when there is no record, or one that makes no endpoint. */
  metadata?: EndpointMetadata | undefined;
  readonly models: EndpointModels;
  reported?: Reported | undefined;
}

/**
 * Joins the records of endpoints and models, and reports each endpoint that changes by it, and no
 * other. Nothing is reported while it is closed, as it is at first.
 */
export class Roll {
  readonly #options: RollOptions;
  /** By path of the endpoint's record. */
  readonly #entries = new Map<string, Entry>();
  /** Who claims an id, by id: names with dashes can make one id of two records; the first has it. */
  readonly #claims = new Map<string, Entry[]>();
  readonly #late = new Set<Entry>();
  #cancelLate: (() => void) | undefined;
  #open = false;

  constructor(options: RollOptions) {
    this.#options = options;
  }

  /** Whether changes are reported. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Reports everything there is, and from now on each change. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    for (const entry of this.#entries.values()) this.#report(entry);
  }

  /** Takes everything back that was reported, and reports nothing more; gives how many there were. */
  withdraw(): number {
    this.#open = false;
    let count = 0;
    for (const entry of this.#entries.values()) {
      if (entry.reported !== undefined) count += 1;
      this.#report(entry);
    }
    return count;
  }

  /** What is still to be reported is not. */
  close(): void {
    this.#cancelLate?.();
  }

  /** Adds a record, or replaces it. */
  put(instance: DiscoveryInstance): void {
    this.#options.departures.back(instance);
    if (instance.type === "Endpoint") this.#putEndpoint(instance);
    else if (instance.type === "Model") this.#putModel(instance);
  }

  /** Removes a record; one that is not there is ignored. */
  remove(id: DiscoveryInstanceId): void {
    if (id.type !== "Endpoint" && id.type !== "Model") return;
    this.#leave(new EndpointInstanceId(id).toPath(), id);
  }

  /** Makes the records of one kind exactly these. */
  replace(type: "Endpoint" | "Model", instances: readonly DiscoveryInstance[]): void {
    const keys = new Set(instances.map((instance) => instance.id().key));
    for (const [path, { key, instance, models }] of [...this.#entries]) {
      const known = type === "Model" ? [...models.keys()] : instance === undefined ? [] : [key];
      for (const each of known) if (!keys.has(each)) this.#leave(path, { type, key: each });
    }
    for (const instance of instances) this.put(instance);
  }

  /** A record of this path is gone. */
  #leave(path: string, { type, key }: Pick<DiscoveryInstanceId, "type" | "key">): void {
    this.#options.departures.leave(key, () => {
      const entry = this.#entries.get(path);
      if (entry === undefined) return;
      if (type === "Endpoint") this.#dropEndpoint(entry);
      else this.#dropModel(entry, key);
      this.#tidy(path, entry);
    });
  }

  #entryOf(instance: EndpointInstance | ModelInstance): Entry {
    const id = new EndpointInstanceId(instance);
    const path = id.toPath();
    const entry = this.#entries.get(path) ?? {
      key: id.key,
      models: new EndpointModels(this.#options.reporter),
    };
    this.#entries.set(path, entry);
    return entry;
  }

  #putEndpoint(instance: EndpointInstance): void {
    const { reporter, settings } = this.#options;
    const entry = this.#entryOf(instance);
    if (entry.instance?.equals(instance)) return;
    entry.instance = instance;
    try {
      const { metadata, problem } = describeEndpoint(instance, settings);
      entry.metadata = metadata;
      if (problem === undefined) reporter.solved(entry.key);
      else reporter.problem(entry.key, toMusterError(problem, "DISCOVERY_ENTRY"));
      this.#claim(entry, metadata);
    } catch (error) {
      this.#unclaim(entry);
      reporter.problem(entry.key, toMusterError(error, "DISCOVERY_ENTRY"));
    }
    this.#report(entry);
  }

  #dropEndpoint(entry: Entry): void {
    if (entry.instance === undefined) return;
    entry.instance = undefined;
    this.#unclaim(entry);
    this.#options.reporter.solved(entry.key);
    this.#report(entry);
  }

  #putModel(instance: ModelInstance): void {
    const entry = this.#entryOf(instance);
    if (entry.models.put(instance)) this.#reportModels(entry);
  }

  #dropModel(entry: Entry, key: string): void {
    if (entry.models.drop(key)) this.#reportModels(entry);
  }

  #tidy(path: string, { instance, models }: Entry): void {
    if (instance === undefined && models.size === 0) this.#entries.delete(path);
  }

  #claim(entry: Entry, metadata: EndpointMetadata): void {
    const id = endpointId(metadata.namespacedName);
    const claims = this.#claims.get(id) ?? [];
    this.#claims.set(id, claims);
    if (!claims.includes(entry)) claims.push(entry);
    if (claims[0] === entry) return;
    const message = `${claims[0]?.key} has the endpoint id ${id} already`;
    this.#options.reporter.problem(entry.key, new MusterError("DISCOVERY_CONFLICT", message));
  }

  #unclaim(entry: Entry): void {
    const { metadata } = entry;
    if (metadata === undefined) return;
    const id = endpointId(metadata.namespacedName);
    const claims = this.#claims.get(id)?.filter((claim) => claim !== entry) ?? [];
    entry.metadata = undefined;
    this.#report(entry);
    const [next] = claims;
    if (next === undefined) this.#claims.delete(id);
    else {
      this.#claims.set(id, claims);
      this.#options.reporter.solved(next.key);
      this.#report(next);
    }
  }

  #reportModels(entry: Entry): void {
    if (entry.models.size <= manyModels) {
      this.#report(entry);
      return;
    }
    this.#late.add(entry);
    this.#cancelLate ??= this.#options.clock.schedule(() => this.#catchUp(), late);
  }

  #catchUp(): void {
    this.#cancelLate = undefined;
    const entries = [...this.#late];
    this.#late.clear();
    for (const entry of entries) this.#report(entry);
  }

  /** Brings what was reported of an entry up to date. */
  #report(entry: Entry): void {
    const { notifier } = this.#options;
    const { metadata, reported } = entry;
    if (metadata === undefined || !this.#open || !this.#holds(entry, metadata)) {
      if (reported === undefined) return;
      entry.reported = undefined;
      notifier.delete(reported.metadata.namespacedName);
      return;
    }
    const models = entry.models.registered();
    const same =
      equalEndpointMetadata(reported?.metadata, metadata) && sameModels(reported?.models, models);
    if (same) return;
    entry.reported = { metadata, models };
    const attributes = models === undefined ? [] : [discovered(registeredModels, models)];
    notifier.upsert(metadata, { attributes });
  }

  #holds(entry: Entry, metadata: EndpointMetadata): boolean {
    return this.#claims.get(endpointId(metadata.namespacedName))?.[0] === entry;
  }
}
