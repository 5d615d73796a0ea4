import { loraState } from "@muster/core/attributes";
import type { FleetEndpoint } from "@muster/runtime";
import { timePerCall } from "./measure.ts";
import { polledFleet } from "./polled-fleet.ts";
import { type Report, round, show } from "./table.ts";

/** A scheduler's reads on 1,000 endpoints: snapshot, filter, score, pick. */
export async function benchRead(smoke: boolean): Promise<Report> {
  const fleet = await polledFleet(1000);
  const ms = smoke ? 50 : 2000;
  const list = timePerCall(() => fleet.endpoints.list().length, ms);
  const fresh = timePerCall(() => fleet.endpoints.list({ state: "fresh" }).length, ms);
  const pick = timePerCall(() => pickBest(fleet.endpoints.list({ state: "fresh" })), ms);
  const get = timePerCall(() => fleet.endpoints.get("default/e500")?.metrics.waitingQueueSize, ms);
  await fleet.stop();
  const rows = [
    { read: "snapshot of 1,000", "us/call": show(list), "ns/endpoint": round(list.median) },
    { read: "fresh ones", "us/call": show(fresh), "ns/endpoint": round(fresh.median) },
    {
      read: "fresh, with the adapter, scored, picked",
      "us/call": show(pick),
      "ns/endpoint": round(pick.median),
    },
    { read: "one by id", "us/call": show(get), "ns/endpoint": "" },
  ];
  return { name: "read: 1,000 endpoints", rows, checks: [] };
}

function pickBest(endpoints: readonly FleetEndpoint[]): FleetEndpoint | undefined {
  let best: FleetEndpoint | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const endpoint of endpoints) {
    const { waitingQueueSize = 0, kvCacheUsagePercent = 1 } = endpoint.metrics;
    const loaded = endpoint.attributes.get(loraState)?.active.includes("sql-lora") ?? false;
    const score = waitingQueueSize + kvCacheUsagePercent * 10 + (loaded ? 0 : 5);
    if (score < bestScore) {
      best = endpoint;
      bestScore = score;
    }
  }
  return best;
}
