import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  type EndpointDiscovery,
  type EndpointMetadata,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import { prometheusPage } from "@muster/core/prometheus";
import { createRuntime } from "@muster/runtime";
import { parsePage } from "@muster/source-prometheus";
import { figure } from "./measure.ts";
import { type Report, round, show } from "./table.ts";

/** Endpoints coming, changing and going: microseconds per call of the notifier. */
export async function benchStore(smoke: boolean): Promise<Report> {
  const count = smoke ? 500 : 10_000;
  const { discovery, notifier } = handDiscovery();
  const empty = parsePage(new Uint8Array(), {});
  const source = createPollingDispatcher({
    typedName: typedName("memory-source"),
    payload: prometheusPage,
    interval: 60_000,
    poll: () => Promise.resolve(empty),
  });
  const fleet = createRuntime({ discovery: [discovery], sources: [{ source }] });
  await fleet.start();
  const first = endpoints(count, "a");
  const second = endpoints(count, "b");
  const samples = {
    add: [] as number[],
    equal: [] as number[],
    change: [] as number[],
    remove: [] as number[],
  };
  for (let round = 0; round < (smoke ? 1 : 9); round++) {
    samples.add.push(perCall(first, (metadata) => notifier().upsert(metadata)));
    samples.equal.push(perCall(first, (metadata) => notifier().upsert(metadata)));
    samples.change.push(perCall(second, (metadata) => notifier().upsert(metadata)));
    samples.remove.push(perCall(first, (metadata) => notifier().delete(metadata.namespacedName)));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const left = fleet.endpoints.size;
  await fleet.stop();
  const rows = Object.entries(samples).map(([call, values]) => {
    const us = figure(values);
    return { call, "us/call": show(us), "calls/s": round(1e6 / us.median) };
  });
  const checks = [{ what: `${left} endpoints left after the churn, expected 0`, held: left === 0 }];
  return { name: `store: churn of ${count} endpoints`, rows, checks };
}

function endpoints(count: number, zone: string): EndpointMetadata[] {
  return Array.from({ length: count }, (_, n) =>
    createEndpointMetadata({ name: `e${n}`, address: "127.0.0.1", port: 8000, labels: { zone } }),
  );
}

function perCall(
  list: readonly EndpointMetadata[],
  call: (metadata: EndpointMetadata) => void,
): number {
  const start = performance.now();
  for (const metadata of list) call(metadata);
  return ((performance.now() - start) * 1000) / list.length;
}

function handDiscovery(): { discovery: EndpointDiscovery; notifier: () => DiscoveryNotifier } {
  let given: DiscoveryNotifier | undefined;
  const discovery: EndpointDiscovery = {
    typedName: typedName("hand-discovery"),
    ready: () => Promise.resolve(),
    start(notifier, { signal }) {
      given = notifier;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  return {
    discovery,
    notifier: () => {
      if (given === undefined) throw new Error("the discovery was not started");
      return given;
    },
  };
}
