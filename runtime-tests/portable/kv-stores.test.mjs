// Every store under the contract, with real servers: sockets, files, timers and certificates differ between runtimes.
import assert from "node:assert/strict";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import { describeKeyValueStore } from "@muster/testkit";
import { stores, tls } from "./stores.mjs";

const patience = 10_000;

export default ({ describe, it }) => {
  for (const [name, { make, ttl }] of Object.entries(stores))
    describe(name, () => {
      const world = async () => {
        const { client, ...rest } = await make();
        return { ...rest, client: () => client() };
      };
      describeKeyValueStore({ describe, it }, { make: world, ttl, patience });
    });

  const endpoints = process.env.MUSTER_ETCD_TLS;
  if (endpoints === undefined) return;
  const refused = {
    "an authority that is not trusted": { ...tls, caPath: undefined },
    "another name in the certificate": { ...tls, serverName: "elsewhere.test" },
    "a missing client certificate": { caPath: tls.caPath },
  };
  for (const [what, wrong] of Object.entries(refused))
    it(`etcd over TLS refuses ${what}`, async () => {
      const store = createEtcdStore({ endpoints, tls: wrong, requestTimeout: "1s" });
      await assert.rejects(store.check(), { code: "STORE_TLS" });
      await store.close();
    });
};
