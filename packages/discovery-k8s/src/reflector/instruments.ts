import type { Counter, Gauge, Meter } from "@muster/core";

/** What reflectors count; every label `resource` is a plural name such as `pods`. */
export interface ReflectorInstruments {
  readonly lists: Counter;
  readonly watches: Counter;
  readonly errors: Counter;
  readonly malformed: Counter;
  readonly objects: Gauge;
  readonly lastSync: Gauge;
}

/** Asks for the instruments; asking again gives the same ones. */
export function reflectorInstruments(meter: Meter): ReflectorInstruments {
  const labels = ["resource"];
  return {
    lists: meter.counter({
      name: "muster_kubernetes_lists_total",
      help: "Complete lists of a Kubernetes resource.",
      labels,
    }),
    watches: meter.counter({
      name: "muster_kubernetes_watches_total",
      help: "Watches of a Kubernetes resource that were opened.",
      labels,
    }),
    errors: meter.counter({
      name: "muster_kubernetes_errors_total",
      help: "Lists and watches of a Kubernetes resource that failed, by error code.",
      labels: ["resource", "code"],
    }),
    malformed: meter.counter({
      name: "muster_kubernetes_malformed_total",
      help: "Events and objects of a Kubernetes resource that could not be understood.",
      labels,
    }),
    objects: meter.gauge({
      name: "muster_kubernetes_objects",
      help: "Objects of a Kubernetes resource that are known.",
      labels,
    }),
    lastSync: meter.gauge({
      name: "muster_kubernetes_last_sync_timestamp_seconds",
      help: "When a Kubernetes resource was last listed completely, seconds since the epoch.",
      labels,
    }),
  };
}
