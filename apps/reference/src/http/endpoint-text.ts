import type { FleetEndpoint } from "@muster/runtime";
import { endpointJson } from "./endpoint-json.ts";

/** ms for which a text is used again although times in it may have moved on. */
const maxAge = 250;

interface Made {
  readonly revision: string;
  readonly at: number;
  readonly text: string;
}

/**
 * Gives endpoints as JSON text, made once for all who ask at about the same time: a fleet of thousands has
 * megabytes of it, and every watcher begins with all of it.
 */
export class EndpointTexts {
  readonly #made = new WeakMap<FleetEndpoint, Made>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  textOf(endpoint: FleetEndpoint): string {
    const { revision } = endpoint;
    const at = this.#now();
    const known = this.#made.get(endpoint);
    if (known?.revision === revision && at - known.at < maxAge) return known.text;
    const text = JSON.stringify(endpointJson(endpoint));
    this.#made.set(endpoint, { revision, at, text });
    return text;
  }

  /** A JSON array. */
  listOf(endpoints: readonly FleetEndpoint[]): string {
    return `[${endpoints.map((endpoint) => this.textOf(endpoint)).join(",")}]`;
  }
}
