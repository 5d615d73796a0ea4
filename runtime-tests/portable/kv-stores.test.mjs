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

  for (const name of ["etcd", "etcd over TLS"].filter((name) => name in stores))
    it(`${name} gives many records by gRPC`, () => readsByGrpc(stores[name]));

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

/** More than one page of the gateway; that the short cut does not work is said in the log only. */
async function readsByGrpc({ make }) {
  const lines = [];
  const debug = (_fields, message) => lines.push(message);
  const ignore = () => undefined;
  const logger = { debug, info: ignore, warn: ignore, error: ignore };
  const world = await make();
  const store = await world.client(undefined, { logger });
  const bucket = store.bucket("many");
  for (let start = 0; start < 1200; start += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => bucket.create(`${start + at}`, "ä")));
  const entries = await bucket.entries();
  assert.equal(entries.size, 1200);
  assert.deepEqual(new Set(entries.values()), new Set(["ä"]));
  assert.deepEqual(lines, []);
  await store.close();
  await world.close();
}
