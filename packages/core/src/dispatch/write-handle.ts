import type { AttributeKey, AttributeMap, DynamicAttribute } from "../attribute-map.ts";
import type { EndpointWriter } from "../endpoint.ts";
import type { EndpointMetadata } from "../endpoint-metadata.ts";
import { MusterError } from "../errors.ts";
import type { Metrics, MetricsPatch } from "../metrics.ts";

/** A handle and the switch that kills it. */
export interface WriteHandle {
  readonly endpoint: EndpointWriter;
  readonly revoked: boolean;
  /** Idempotent. From now on writes through the handle throw HANDLE_DEAD; reads still work. */
  revoke(): void;
}

/** Options of {@link createWriteHandle}. */
export interface WriteHandleOptions {
  /** Names of the only attributes that may be written; default: all. */
  readonly attributes?: ReadonlySet<string> | undefined;
  /** Called after each write that was allowed. */
  readonly onWrite?: (() => void) | undefined;
  /** Called for each write that came after {@link WriteHandle.revoke}. */
  readonly onRefused?: (() => void) | undefined;
}

/**
 * Wraps an endpoint in a handle that can be revoked, so that a late answer never writes to an
 * endpoint that was removed, or removed and added again. Handles nest: one over a revoked one is
 * dead too.
 */
export function createWriteHandle(
  target: EndpointWriter,
  options: WriteHandleOptions = {},
): WriteHandle {
  return new Handle(target, options);
}

class Handle implements WriteHandle, EndpointWriter {
  readonly id: string;
  readonly attributes: AttributeMap;
  readonly #target: EndpointWriter;
  readonly #options: WriteHandleOptions;
  revoked = false;

  constructor(target: EndpointWriter, options: WriteHandleOptions) {
    this.id = target.id;
    this.#target = target;
    this.#options = options;
    this.attributes = new GuardedAttributes(target.attributes, {
      before: (name) => this.#check(name),
      after: () => options.onWrite?.(),
    });
  }

  get endpoint(): EndpointWriter {
    return this;
  }

  get metadata(): EndpointMetadata {
    return this.#target.metadata;
  }

  get metrics(): Metrics {
    return this.#target.metrics;
  }

  updateMetrics(patch: MetricsPatch): void {
    this.#check();
    this.#target.updateMetrics(patch);
    this.#options.onWrite?.();
  }

  revoke(): void {
    this.revoked = true;
  }

  toString(): string {
    return this.#target.toString();
  }

  #check(attribute?: string): void {
    if (this.revoked) {
      this.#options.onRefused?.();
      throw new MusterError(
        "HANDLE_DEAD",
        `late write to endpoint ${this.id}: it timed out, was removed or the runtime stopped`,
      );
    }
    const allowed = this.#options.attributes;
    if (attribute === undefined || allowed === undefined || allowed.has(attribute)) return;
    throw new MusterError(
      "ATTRIBUTE_UNDECLARED",
      `attribute "${attribute}" is not declared in the plugin's \`produces\`: ${[...allowed].join(", ") || "it declares none"}`,
    );
  }
}

interface Guard {
  before(name: string): void;
  after(): void;
}

class GuardedAttributes implements AttributeMap {
  readonly #target: AttributeMap;
  readonly #guard: Guard;

  constructor(target: AttributeMap, guard: Guard) {
    this.#target = target;
    this.#guard = guard;
  }

  get<T>(key: AttributeKey<T>): T | undefined;
  get(name: string): unknown;
  get(key: AttributeKey<unknown> | string): unknown {
    return typeof key === "string" ? this.#target.get(key) : this.#target.get(key);
  }

  put<T>(key: AttributeKey<T>, value: NoInfer<T> | DynamicAttribute<NoInfer<T>> | undefined): void {
    this.#guard.before(key.name);
    this.#target.put(key, value);
    this.#guard.after();
  }

  delete(key: AttributeKey<unknown> | string): boolean {
    this.#guard.before(typeof key === "string" ? key : key.name);
    const deleted = this.#target.delete(key);
    if (deleted) this.#guard.after();
    return deleted;
  }

  keys(): string[] {
    return this.#target.keys();
  }

  clone(): AttributeMap {
    return this.#target.clone();
  }
}
