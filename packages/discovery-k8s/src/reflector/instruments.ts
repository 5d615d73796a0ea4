import type { Counter, Gauge, Meter } from "@muster/core";

/** Which reflector is measured: the plugin it works for, plural name, namespace (empty: all). */
export type ReflectorLabels = Readonly<Record<"reflector" | "resource" | "namespace", string>>;

/** What reflectors count. */
export interface ReflectorInstruments {
  readonly lists: Counter;
  readonly watches: Counter;
  readonly restarts: Counter;
  readonly errors: Counter;
  readonly malformed: Counter;
  readonly objects: Gauge;
  readonly lastSync: Gauge;
  readonly revision: Gauge;
}

const labels = ["reflector", "resource", "namespace"];

/** Asks for the instruments; asking again gives the same ones. */
export function reflectorInstruments(meter: Meter): ReflectorInstruments {
  const counter = (name: string, help: string, more: readonly string[] = []): Counter =>
    meter.counter({ name: `muster_kubernetes_${name}`, help, labels: [...labels, ...more] });
  const gauge = (name: string, help: string): Gauge =>
    meter.gauge({ name: `muster_kubernetes_${name}`, help, labels });
  return {
    lists: counter("lists_total", "Complete lists of a Kubernetes resource."),
    watches: counter("watches_total", "Watches of a Kubernetes resource that were begun."),
    restarts: counter(
      "restarts_total",
      "Lists of a Kubernetes resource that had to be begun because a list or watch failed or ended early.",
    ),
    errors: counter(
      "errors_total",
      "Lists and watches of a Kubernetes resource that failed, by error code.",
      ["code"],
    ),
    malformed: counter(
      "malformed_total",
      "Lines and objects of a Kubernetes resource that could not be understood.",
    ),
    objects: gauge("objects", "Objects of a Kubernetes resource that are known."),
    lastSync: gauge(
      "last_sync_timestamp_seconds",
      "When a Kubernetes resource was last listed completely, seconds since the epoch.",
    ),
    revision: gauge(
      "resource_version",
      "Revision of a Kubernetes resource that is known, where the server's revisions are numbers.",
    ),
  };
}
