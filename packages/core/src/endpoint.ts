import { type AttributeMap, type AttributeReader, createAttributes } from "./attribute-map.ts";
import { type EndpointMetadata, formatEndpointMetadata } from "./endpoint-metadata.ts";
import { MusterError } from "./errors.ts";
import {
  createMetrics,
  formatMetrics,
  type Metrics,
  type MetricsPatch,
  mergeMetrics,
} from "./metrics.ts";
import { endpointId } from "./names.ts";

/** A model server as readers see it: each property gives the current, immutable value. */
export interface Endpoint {
  /** `namespace/name`. */
  readonly id: string;
  readonly metadata: EndpointMetadata;
  readonly metrics: Metrics;
  readonly attributes: AttributeReader;
  /** Id, address and known metrics on one line. */
  toString(): string;
}

/**
 * An endpoint that can be written to. Extractors get one as a handle, which goes dead at time-out,
 * removal or stop: from then on its writes throw HANDLE_DEAD and change nothing.
 */
export interface EndpointWriter extends Endpoint {
  readonly attributes: AttributeMap;
  /**
   * Merges fields into the current metrics; other fields, and other extractors', stay.
   *
   * @throws MusterError METRICS_INVALID for a value that is negative or not finite; nothing is stored.
   */
  updateMetrics(patch: MetricsPatch): void;
}

/** The default implementation of an endpoint, and what a store keeps. */
export interface ModelServer extends EndpointWriter {
  /**
   * Replaces the metadata.
   *
   * @throws MusterError ENDPOINT_INVALID when it is another endpoint's.
   */
  updateMetadata(metadata: EndpointMetadata): void;
  /** An independent copy with the same values. */
  clone(): ModelServer;
}

/** Options of {@link createEndpoint}. */
export interface EndpointOptions {
  /** Default: nothing known. */
  readonly metrics?: Metrics | undefined;
  /** Default: an empty map. */
  readonly attributes?: AttributeMap | undefined;
  /** Wall clock for `readAt`, ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Makes an endpoint from its metadata. */
export function createEndpoint(
  metadata: EndpointMetadata,
  options: EndpointOptions = {},
): ModelServer {
  return new StoredEndpoint(metadata, options);
}

class StoredEndpoint implements ModelServer {
  readonly id: string;
  readonly attributes: AttributeMap;
  readonly #now: () => number;
  #metadata: EndpointMetadata;
  #metrics: Metrics;

  constructor(metadata: EndpointMetadata, options: EndpointOptions) {
    this.id = endpointId(metadata.namespacedName);
    this.attributes = options.attributes ?? createAttributes();
    this.#now = options.now ?? Date.now;
    this.#metadata = metadata;
    this.#metrics = options.metrics ?? createMetrics();
  }

  get metadata(): EndpointMetadata {
    return this.#metadata;
  }

  get metrics(): Metrics {
    return this.#metrics;
  }

  updateMetadata(metadata: EndpointMetadata): void {
    const id = endpointId(metadata.namespacedName);
    if (id !== this.id)
      throw new MusterError("ENDPOINT_INVALID", `metadata of ${id} given to endpoint ${this.id}`);
    this.#metadata = metadata;
  }

  updateMetrics(patch: MetricsPatch): void {
    this.#metrics = mergeMetrics(this.#metrics, patch, this.#now());
  }

  clone(): ModelServer {
    return new StoredEndpoint(this.#metadata, {
      metrics: this.#metrics,
      attributes: this.attributes.clone(),
      now: this.#now,
    });
  }

  toString(): string {
    return `${formatEndpointMetadata(this.#metadata)} ${formatMetrics(this.#metrics)}`;
  }
}
