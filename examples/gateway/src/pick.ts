import type { FleetEndpoint, FleetEndpoints } from "@muster/runtime";

/** The fresh server with the fewest requests waiting and running; `undefined` when none is fresh. */
export function pick(endpoints: FleetEndpoints): FleetEndpoint | undefined {
  let best: FleetEndpoint | undefined;
  for (const endpoint of endpoints.list({ state: "fresh" }))
    if (best === undefined || load(endpoint) < load(best)) best = endpoint;
  return best;
}

/** A server whose load is unknown comes last: it may be busy. */
function load({ metrics }: FleetEndpoint): number {
  const { waitingQueueSize, runningRequestsSize } = metrics;
  if (waitingQueueSize === undefined) return Number.POSITIVE_INFINITY;
  return waitingQueueSize + (runningRequestsSize ?? 0);
}
