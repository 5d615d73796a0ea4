import type { Counter, Gauge, Histogram, Meter } from "@muster/core";

/** Upper bounds of the buckets for durations, s. */
const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Everything the runtime measures. */
export interface Instruments {
  readonly pollErrors: Counter;
  readonly extractErrors: Counter;
  readonly notifyErrors: Counter;
  readonly pollDuration: Histogram;
  readonly tickLateness: Histogram;
  readonly endpoints: Gauge;
  readonly oldestSuccess: Gauge;
  readonly subscribers: Gauge;
  readonly overflows: Counter;
  readonly conflicts: Counter;
  readonly refusedEndpoints: Counter;
  readonly discoveryFailures: Counter;
  readonly discoveryOutages: Counter;
  readonly watchInterruptions: Counter;
  readonly ignoredCalls: Counter;
  readonly getterErrors: Counter;
  readonly deadWrites: Counter;
}

/**
 * Makes the runtime's instruments. The first two end in the names that llm-d's dashboards look for;
 * labels take plugin types and names only, never text from the fleet.
 */
export function createInstruments(meter: Meter): Instruments {
  const counter = (name: string, help: string, labels: string[] = []): Counter =>
    meter.counter({ name: `muster_datalayer_${name}`, help, labels });
  const gauge = (name: string, help: string, labels: string[] = []): Gauge =>
    meter.gauge({ name: `muster_datalayer_${name}`, help, labels });
  const histogram = (name: string, help: string, labels: string[] = []): Histogram =>
    meter.histogram({ name: `muster_datalayer_${name}`, help, labels, buckets: durationBuckets });
  return {
    pollErrors: counter("poll_errors_total", "Polls that failed.", ["source_type"]),
    extractErrors: counter("extract_errors_total", "Extractor runs that failed.", [
      "source_type",
      "extractor_type",
    ]),
    notifyErrors: counter(
      "notify_errors_total",
      "Events that an endpoint or notification source failed to handle.",
      ["source_type"],
    ),
    pollDuration: histogram(
      "scrape_duration_seconds",
      "Time from the start of a poll to the end of its last extractor.",
      ["source_type"],
    ),
    tickLateness: histogram(
      "tick_lateness_seconds",
      "How late the scheduler ran, by its most overdue poll.",
    ),
    endpoints: gauge("endpoints", "Endpoints by freshness.", ["state"]),
    oldestSuccess: gauge(
      "oldest_success_age_seconds",
      "Age of the least recent last success among polled endpoints.",
      ["source_type"],
    ),
    subscribers: gauge("feed_subscribers", "Readers of the change feed."),
    overflows: counter("feed_overflows_total", "Snapshots sent because a reader was too slow."),
    conflicts: counter(
      "discovery_conflicts_total",
      "Endpoints that a discovery reported while another owned them.",
      ["discovery"],
    ),
    refusedEndpoints: counter(
      "discovery_refused_total",
      "Endpoints refused because there are too many.",
      ["discovery"],
    ),
    discoveryFailures: counter("discovery_failures_total", "Times a discovery failed.", [
      "discovery",
    ]),
    discoveryOutages: counter(
      "discovery_outages_total",
      "Times a discovery said that it cannot reach its source.",
      ["discovery"],
    ),
    watchInterruptions: counter(
      "watch_interruptions_total",
      "Times a notification source's Kubernetes kind could not be followed.",
      ["source"],
    ),
    ignoredCalls: counter(
      "discovery_ignored_calls_total",
      "Reports of a discovery that came after it was stopped.",
      ["discovery"],
    ),
    getterErrors: counter(
      "attribute_getter_errors_total",
      "Dynamic attributes that threw when they were read.",
    ),
    deadWrites: counter(
      "dead_handle_writes_total",
      "Writes refused because the endpoint had been removed or the runtime stopped.",
    ),
  };
}
