// A private CA, a client certificate and a server name are what differs most between runtimes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createEndpoint, createEndpointMetadata } from "@muster/core";
import coreMetrics from "@muster/extractors-metrics";
import prometheus from "@muster/source-prometheus";

const path = (name) => new URL(`./tls/${name}.pem`, import.meta.url).pathname;
const pem = (name) => readFileSync(path(name));

const page = `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 7
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.5
`;

/** Polls a server that demands a client certificate and is `model.test` to those who ask for it. */
async function poll(config) {
  const server = createServer(
    {
      key: pem("server-key"),
      cert: pem("server"),
      ca: pem("ca"),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (_, response) => response.setHeader("content-type", "text/plain; version=0.0.4").end(page),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const metadata = createEndpointMetadata({ name: "a", address: "127.0.0.1", port });
  const endpoint = createEndpoint(metadata);
  const source = prometheus.create({ scheme: "https", timeout: "5s", ...config });
  try {
    source.appendExtractor(coreMetrics.create());
    const result = await source.dispatch(endpoint, { signal: new AbortController().signal });
    return { result, metrics: endpoint.metrics };
  } finally {
    await source.stop?.();
    server.closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  }
}

const trusted = { caCertPath: path("ca"), serverName: "model.test" };
const known = { clientCertPath: path("client"), clientKeyPath: path("client-key") };

export default ({ it }) => {
  it("polls with private CA, client certificate and server name", async () => {
    const { metrics } = await poll({ ...trusted, ...known });
    assert.equal(metrics.runningRequestsSize, 3);
    assert.equal(metrics.waitingQueueSize, 7);
    assert.equal(metrics.kvCacheUsagePercent, 0.5);
  });

  const refused = {
    "an authority that is not trusted": { ...known, serverName: "model.test" },
    "another name in the certificate": { ...known, ...trusted, serverName: "other.test" },
    "a missing client certificate": trusted,
  };
  for (const [what, config] of Object.entries(refused))
    it(`refuses ${what}`, async () => {
      await assert.rejects(poll(config), { code: "SCRAPE_TLS" });
    });

  it("polls anyone when told not to verify", async () => {
    const { metrics } = await poll({ ...known, insecureSkipVerify: true });
    assert.equal(metrics.runningRequestsSize, 3);
  });
};
