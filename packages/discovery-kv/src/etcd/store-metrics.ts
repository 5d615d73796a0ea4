import type { Meter } from "@muster/core";

/** What an etcd store counts. */
export interface StoreMetrics {
  interrupted(): void;
  resynced(): void;
  leaseLost(): void;
  restored(records: number): void;
}

/** The counters of an etcd store. */
export function storeMetrics(meter: Meter): StoreMetrics {
  const counter = (name: string, help: string): ((value: number) => void) => {
    const made = meter.counter({ name, help });
    return (value) => made.add(value);
  };
  const interruptions = counter(
    "muster_store_etcd_interruptions_total",
    "Times that a watch could not be followed.",
  );
  const resyncs = counter(
    "muster_store_etcd_resyncs_total",
    "Times that a watch read everything anew, since changes may have been missed.",
  );
  const losses = counter(
    "muster_store_etcd_lease_losses_total",
    "Leases that ended before we did.",
  );
  const restored = counter(
    "muster_store_etcd_records_restored_total",
    "Records written again after a lease was lost.",
  );
  return {
    interrupted: () => interruptions(1),
    resynced: () => resyncs(1),
    leaseLost: () => losses(1),
    restored: (records) => restored(records),
  };
}
