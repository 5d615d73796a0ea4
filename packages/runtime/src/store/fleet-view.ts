import { endpointId, type NamespacedName } from "@muster/core";
import type { FleetChange } from "../feed/fleet-change.ts";
import type { ChangesOptions, FleetEndpoints } from "../fleet.ts";
import {
  type EndpointFilter,
  matchesLabels,
  matchesModel,
  matchesState,
} from "./endpoint-filter.ts";
import type { FleetEndpoint } from "./fleet-endpoint.ts";
import type { RecordStore } from "./record-store.ts";

/** The readers' side of a store. */
export class FleetView implements FleetEndpoints {
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  get revision(): string {
    return this.#store.feed.revision;
  }

  get size(): number {
    return this.#store.records.size;
  }

  get(id: string | NamespacedName): FleetEndpoint | undefined {
    return this.#store.records.get(typeof id === "string" ? id : endpointId(id))?.view;
  }

  list(filter?: EndpointFilter): readonly FleetEndpoint[] {
    if (filter === undefined) return this.#store.views();
    const now = this.#store.clock.monotonic();
    const found: FleetEndpoint[] = [];
    for (const { view, freshness } of this.#store.records.values())
      if (
        (filter.state === undefined || matchesState(freshness.state(now), filter.state)) &&
        (filter.degraded === undefined || view.degraded === filter.degraded) &&
        matchesLabels(view, filter.labels) &&
        matchesModel(view, filter.model)
      )
        found.push(view);
    return found;
  }

  byPod(namespace: string, podName: string): readonly FleetEndpoint[] {
    return this.#store.pods.find(namespace, podName);
  }

  changes(options?: ChangesOptions): AsyncIterable<FleetChange> {
    return this.#store.feed.changes(options);
  }
}
