import type { MetricsField } from "@muster/core";
import type { Fleet, FleetEndpoint } from "@muster/runtime";
import * as prom from "prom-client";

/** At most this many endpoints get a series of their own; the rest are counted as omitted. */
const maxEndpointSeries = 1000;

/** Options of {@link registerPoolMetrics}. */
export interface PoolMetricsOptions {
  readonly fleet: Fleet;
  readonly registry: prom.Registry;
  /** Value of the label `name`. */
  readonly pool: string;
}

const aggregates: readonly (readonly [name: string, field: MetricsField, what: string])[] = [
  ["kv_cache_utilization", "kvCacheUsagePercent", "KV cache usage (0..1)"],
  ["queue_size", "waitingQueueSize", "number of waiting requests"],
  ["running_requests", "runningRequestsSize", "number of running requests"],
];

/**
 * Registers the pool's aggregates, computed when scraped from the endpoints that are fresh then.
 * Names are the original's with our prefix; without a known value an average has no sample.
 */
export function registerPoolMetrics({ fleet, registry, pool }: PoolMetricsOptions): void {
  const labels = { name: pool };
  for (const [name, field, what] of aggregates) {
    const average = (): number | undefined => mean(values(fleet, field));
    const deviation = (): number | undefined => standardDeviation(values(fleet, field));
    computed(registry, `muster_average_${name}`, `Average ${what} over fresh endpoints.`, (gauge) =>
      set(gauge, labels, average()),
    );
    const help = `Standard deviation of the ${what} over fresh endpoints.`;
    computed(registry, `muster_std_dev_${name}`, help, (gauge) => set(gauge, labels, deviation()));
  }
  computed(registry, "muster_ready_endpoints", "Endpoints that are fresh.", (gauge) =>
    gauge.set(labels, fresh(fleet).length),
  );
  registerQueueSizes({ fleet, registry, pool });
}

function registerQueueSizes({ fleet, registry, pool }: PoolMetricsOptions): void {
  const help = `Endpoints without a series of their own because there are more than ${maxEndpointSeries}.`;
  computed(registry, "muster_per_endpoint_series_omitted", help, (gauge) =>
    gauge.set({ name: pool }, Math.max(0, fresh(fleet).length - maxEndpointSeries)),
  );
  new prom.Gauge({
    name: "muster_per_endpoint_queue_size",
    help: "Waiting requests of each fresh endpoint.",
    labelNames: ["name", "endpoint"],
    registers: [registry],
    collect() {
      this.reset();
      for (const endpoint of fresh(fleet).slice(0, maxEndpointSeries)) {
        const size = endpoint.metrics.waitingQueueSize;
        if (size !== undefined) this.set({ name: pool, endpoint: endpoint.id }, size);
      }
    },
  });
}

function computed(
  registry: prom.Registry,
  name: string,
  help: string,
  collect: (gauge: prom.Gauge<"name">) => void,
): void {
  new prom.Gauge({
    name,
    help,
    labelNames: ["name"],
    registers: [registry],
    collect() {
      collect(this);
    },
  });
}

function set(gauge: prom.Gauge<"name">, labels: { name: string }, value: number | undefined): void {
  if (value === undefined) gauge.reset();
  else gauge.set(labels, value);
}

function fresh(fleet: Fleet): readonly FleetEndpoint[] {
  return fleet.endpoints.list({ state: "fresh" });
}

function values(fleet: Fleet, field: MetricsField): number[] {
  return fresh(fleet)
    .map((endpoint) => endpoint.metrics[field])
    .filter((value) => typeof value === "number");
}

/** Arithmetic mean; `undefined` of nothing. */
function mean(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** Population standard deviation; `undefined` of nothing. */
function standardDeviation(numbers: readonly number[]): number | undefined {
  const average = mean(numbers);
  if (average === undefined) return undefined;
  return Math.sqrt(mean(numbers.map((value) => (value - average) ** 2)) ?? 0);
}
