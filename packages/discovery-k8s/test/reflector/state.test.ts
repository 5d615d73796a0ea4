import { createRecordingMeter } from "@muster/testkit";
import { createKubernetesServer } from "@muster/testkit/kubernetes";
import { expect, it } from "vitest";
import { createKubeApi, createReflector, directCluster } from "../../src/index.ts";

const resource = { group: "", version: "v1", plural: "configmaps" };
const labels = { reflector: "mine", resource: "configmaps", namespace: "default" };
const path = "/api/v1/namespaces/default/configmaps";

it("a reflector shows how it is doing, as state and as metrics, until it ends", async () => {
  const server = createKubernetesServer({ bookmarkInterval: 50 });
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url }));
  const metrics = createRecordingMeter();
  const timing = { retryInitial: 10, retryCap: 50 };
  const reflector = createReflector(
    { api, resource, namespace: "default", name: "mine", timing },
    { metrics },
  );
  const value = (name: string, more = {}) =>
    metrics.value(`muster_kubernetes_${name}`, { ...labels, ...more });
  await api.request({ method: "POST", path, body: { metadata: { name: "a" } } });
  expect(reflector.what).toBe("configmaps in default");
  expect(reflector.state).toMatchObject({
    objects: 0,
    lastSync: undefined,
    restarts: 0,
    errors: 0,
  });

  const stop = new AbortController();
  const begun = Date.now();
  const reading = (async () => {
    for await (const _ of reflector.events({ signal: stop.signal }));
  })();
  await expect.poll(() => server.openWatches, { timeout: 8000 }).toBe(1);
  const { lastSync = 0, resourceVersion } = reflector.state;
  expect(lastSync).toBeGreaterThanOrEqual(begun);
  expect(value("last_sync_timestamp_seconds")).toBe(lastSync / 1000);
  expect(value("resource_version")).toBe(Number(resourceVersion));
  expect([value("objects"), value("lists_total"), value("watches_total")]).toEqual([1, 1, 1]);

  await api.request({ method: "POST", path, body: { metadata: { name: "b" } } });
  await expect.poll(() => value("objects"), { timeout: 8000 }).toBe(2);
  expect(value("resource_version")).toBeGreaterThan(Number(resourceVersion));

  server.faults.fail({ verb: "list", status: 500 });
  server.faults.dropWatches();
  await expect.poll(() => value("lists_total"), { timeout: 8000 }).toBe(2);
  // the watch that broke, and the list after it
  expect(reflector.state).toMatchObject({ objects: 2, restarts: 2, errors: 2, malformed: 0 });
  expect(value("restarts_total")).toBe(2);
  expect(value("errors_total", { code: "KUBE_UNAVAILABLE" })).toBe(2);

  stop.abort();
  await reading;
  for (const gauge of ["objects", "resource_version", "last_sync_timestamp_seconds"])
    expect(value(gauge)).toBeUndefined();
  api.close();
  await server.stop();
});
