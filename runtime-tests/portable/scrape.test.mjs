// HTTP clients differ between runtimes in what they do when a server misbehaves; the error codes must not.
import assert from "node:assert/strict";
import { createEndpoint, createEndpointMetadata } from "@muster/core";
import coreMetrics from "@muster/extractors-metrics";
import { createModelServer } from "@muster/sim";
import prometheus from "@muster/source-prometheus";
import { describePollingSource } from "@muster/testkit";

const mib = 1024 ** 2;

/** A simulated server, a source that takes up to 1 MiB from it, and the endpoint it is. */
async function createWorld(config = {}) {
  const server = createModelServer({ seed: 1, ...config.server });
  await server.start();
  const { address, port } = server;
  const source = prometheus.create({ maxBodyBytes: mib, ...config.source });
  return {
    server,
    source,
    endpoint: createEndpoint(createEndpointMetadata({ name: "a", address, port })),
    fail: () => server.setFault({ kind: "500" }),
    hang: () => server.setFault({ kind: "hang" }),
    recover: () => server.clearFault(),
    async close() {
      await source.stop?.();
      await server.stop();
    },
  };
}

const poll = ({ source, endpoint }) =>
  source.dispatch(endpoint, { signal: new AbortController().signal });

const faults = {
  SCRAPE_TIMEOUT: [{ kind: "hang" }, { kind: "slow-body" }],
  SCRAPE_STATUS: [{ kind: "500" }],
  SCRAPE_AUTH: [{ kind: "401" }],
  SCRAPE_REDIRECT: [{ kind: "redirect", location: "http://127.0.0.2/metrics" }],
  SCRAPE_CONTENT_TYPE: [{ kind: "html" }],
  SCRAPE_TRUNCATED: [{ kind: "truncated" }],
  SCRAPE_TOO_LARGE: [
    { kind: "huge", bytes: 2 * mib },
    { kind: "gzip-bomb", bytes: 2 * mib },
  ],
  SCRAPE_CONNECT: [{ kind: "reset" }],
};

export default (api) => {
  describePollingSource(api, { make: () => createWorld() });

  for (const [code, kinds] of Object.entries(faults))
    for (const fault of kinds)
      api.it(`${fault.kind} is ${code}, and the next poll succeeds`, async () => {
        const timeout = code === "SCRAPE_TIMEOUT" ? "500ms" : "10s";
        const world = await createWorld({ source: { compression: true, timeout } });
        try {
          world.source.appendExtractor(coreMetrics.create());
          world.server.setFault(fault);
          await assert.rejects(poll(world), { code });
          world.server.clearFault();
          assert.equal((await poll(world)).extracted.length, 1);
        } finally {
          await world.close();
        }
      });

  api.it("reads a compressed page over IPv6", async () => {
    const world = await createWorld({
      server: { host: "::1", gzip: true },
      source: { compression: true },
    });
    try {
      world.source.appendExtractor(coreMetrics.create());
      assert.equal((await poll(world)).extracted.length, 1);
      assert.equal(world.endpoint.metrics.runningRequestsSize, 0);
    } finally {
      await world.close();
    }
  });
};
