// Watches, private authorities and client certificates are what differs most between runtimes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createKubeApi, createReflector, directCluster } from "@muster/discovery-k8s";
import { createKubernetesServer, describeReflector } from "@muster/testkit/kubernetes";

const pem = (name) => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), "utf8");
const maps = { group: "", version: "v1", plural: "configmaps" };
const list = { path: "/api/v1/namespaces/default/configmaps" };

const secure = () =>
  createKubernetesServer({
    tls: { cert: pem("server"), key: pem("server-key"), clientCa: pem("ca") },
  });
const known = {
  ca: pem("ca"),
  cert: pem("client"),
  key: pem("client-key"),
  serverName: "model.test",
};

async function follow(server, tls) {
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url, tls }));
  return {
    api,
    request: (request) => api.request(request),
    follow: ({ signal, ...which }) =>
      createReflector({ api, resource: maps, ...which }).events({ signal }),
    async close() {
      api.close();
      await server.stop();
    },
  };
}

export default (api) => {
  api.describe("over plain HTTP", () =>
    describeReflector(api, { open: () => follow(createKubernetesServer()) }),
  );
  api.describe("over TLS with a client certificate", () =>
    describeReflector(api, { open: () => follow(secure(), known) }),
  );

  const refused = {
    "an authority that is not trusted": [{ ...known, ca: undefined }, "KUBE_TLS"],
    "another name in the certificate": [{ ...known, serverName: "other.test" }, "KUBE_TLS"],
    "a client without a certificate": [{ ...known, cert: undefined, key: undefined }, "KUBE_AUTH"],
  };
  for (const [what, [tls, code]] of Object.entries(refused))
    api.it(`refuses ${what}`, async () => {
      const cluster = await follow(secure(), tls);
      try {
        await assert.rejects(cluster.request(list), { code });
      } finally {
        await cluster.close();
      }
    });

  api.it("recovers from broken, ended and expired watches", async () => {
    const server = createKubernetesServer();
    const cluster = await follow(server);
    const stop = new AbortController();
    const timing = { retryInitial: 10, retryCap: 50, reconnectCap: 50 };
    const reflector = createReflector({ api: cluster.api, resource: maps, timing });
    const seen = new Set();
    const reading = (async () => {
      for await (const event of reflector.events({ signal: stop.signal }))
        if (event.type === "Added") seen.add(event.object.metadata.name);
    })();
    const { faults } = server;
    const problems = [
      () => faults.dropWatches(),
      () => faults.endWatches(),
      () => faults.garbage(),
      () => faults.errorEvent(410, "Expired"),
    ];
    for (const [index, happen] of problems.entries()) {
      while (server.openWatches === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      happen();
      const body = { metadata: { name: `map-${index}` } };
      await cluster.request({ method: "POST", path: list.path, body });
      while (!seen.has(`map-${index}`)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    stop.abort();
    await reading;
    await cluster.close();
  });
};
