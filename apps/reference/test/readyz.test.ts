import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  type EndpointDiscovery,
  MusterError,
  silentLogger,
  typedName,
} from "@muster/core";
import { createRuntime } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createApi } from "../src/http/api.ts";
import { listen } from "../src/http/listen.ts";

interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly discoveries: readonly { readonly state: string; readonly error?: { code: string } }[];
}

it("readyz says why a discovery waits, and stays ready when it loses its source later", async () => {
  let notifier: DiscoveryNotifier | undefined;
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const down = new MusterError("acme/DOWN", "store.example does not answer");
  const discovery: EndpointDiscovery = {
    typedName: typedName("store-discovery"),
    ready: () => passed,
    start(given, { signal }) {
      notifier = given;
      given.degraded(down);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  await using fleet = createRuntime({
    discovery: [discovery],
    sources: [{ source: prometheus.create() }],
  });
  await fleet.start();
  const api = createApi({
    ...{ fleet, registry: new Registry(), logger: silentLogger, guard: {} },
    signal: new AbortController().signal,
  });
  const server = await listen(api, { host: "127.0.0.1", port: 0 });
  const readyz = async (): Promise<[number, Readiness]> => {
    const answer = await fetch(`${server.url}/readyz`);
    return [answer.status, (await answer.json()) as Readiness];
  };
  try {
    const [waiting, { reasons }] = await readyz();
    expect(waiting).toBe(503);
    expect(reasons).toEqual([
      "discovery store-discovery/store-discovery has not completed its first pass: acme/DOWN: store.example does not answer",
    ]);
    notifier?.upsert(createEndpointMetadata({ name: "a", address: "127.0.0.1", port: 1 }));
    notifier?.recovered();
    pass();
    await fleet.ready();
    expect(await readyz()).toMatchObject([200, { discoveries: [{ state: "running" }] }]);
    notifier?.degraded(down);
    expect(await readyz()).toMatchObject([
      200,
      { reasons: [], discoveries: [{ state: "degraded", error: { code: "acme/DOWN" } }] },
    ]);
    const shown = await (await fetch(`${server.url}/api/endpoints`)).json();
    expect(shown).toMatchObject({ endpoints: [{ freshness: { degraded: true } }] });
  } finally {
    await server.close(0);
  }
});
