import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsStoreConfig } from "@muster/discovery-kv/nats";
import { describeWith, startNats, testTls, until } from "@muster/test-servers";
import { nkeys } from "@nats-io/transport-node";
import { describe, expect, it, vi } from "vitest";
import { Bench, Follower } from "./bench.ts";

const client = { certPath: testTls.client.cert, keyPath: testTls.client.key };
const read = (path: string): string => readFileSync(path, "utf8");

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describeWith("nats", describe)("access to NATS", () => {
  it.each<[string, string, Partial<NatsStoreConfig>, Partial<NatsStoreConfig>]>([
    [
      "user and password",
      'authorization { user: "u", password: "right" }',
      { username: "u", password: "right" },
      { username: "u", password: "wrong" },
    ],
    ["a token", 'authorization { token: "right" }', { token: "right" }, { token: "wrong" }],
  ])("is given by %s", async (_, config, right, wrong) => {
    await using bench = new Bench();
    const { url } = bench.add(await startNats({ config }));
    expect(await bench.store(url, right).bucket("b").create("a", "1")).toBe(true);
    for (const settings of [wrong, {}])
      await expect(bench.store(url, settings).check()).rejects.toMatchObject({
        code: "STORE_AUTH",
        message: expect.not.stringContaining("wrong"),
      });
  });

  it("is given by an nkey", async () => {
    await using bench = new Bench();
    const pair = nkeys.createUser();
    const config = `authorization { users: [{ nkey: ${pair.getPublicKey()} }] }`;
    const { url } = bench.add(await startNats({ config }));
    const nkeySeed = new TextDecoder().decode(pair.getSeed());
    await bench.store(url, { nkeySeed }).check();
    const other = new TextDecoder().decode(nkeys.createUser().getSeed());
    const refused = bench.store(url, { nkeySeed: other }).check();
    await expect(refused).rejects.toMatchObject({ code: "STORE_AUTH" });
  });

  it("fails by name when a credentials file is not there", async () => {
    await using bench = new Bench();
    const { url } = bench.add(await startNats());
    const settings = { credentialsPath: join(tmpdir(), "no such file.creds") };
    await expect(bench.store(url, settings).check()).rejects.toMatchObject({
      code: "STORE_CONFIG",
      message: expect.stringContaining("no such file.creds"),
    });
  });

  it("that is withdrawn ends in STORE_AUTH, and goes on when it is given again", async () => {
    await using bench = new Bench();
    const user = (password: string): string =>
      `authorization { user: "u", password: "${password}" }`;
    const server = bench.add(await startNats({ config: user("old") }));
    const settings = { username: "u", password: "old" };
    const bucket = bench.store(server.url, settings).bucket("b");
    await bucket.create("a", "1");
    const follower = await Follower.of(bench.store(server.url, settings).bucket("b"));
    server.reconfigure(user("new"));
    await until(() => follower.interruptions.length > 0, "an interruption");
    await expect(bucket.get("a")).rejects.toMatchObject({ code: "STORE_AUTH" });
    server.reconfigure(user("old"));
    await until(() => follower.interruptions.includes("mended"), "its end");
    await follower.sees({ a: "1" });
  });

  it("to read alone is enough to watch", async () => {
    await using bench = new Bench();
    const deny = '{ publish: { deny: ["$KV.>"] } }';
    const config = `authorization { users: [
      { user: w, password: w }, { user: r, password: r, permissions: ${deny} } ] }`;
    const { url } = bench.add(await startNats({ config }));
    await bench.store(url, { username: "w", password: "w" }).bucket("b").create("a", "1");
    const reader = bench.store(url, { username: "r", password: "r" }).bucket("b");
    await (await Follower.of(reader)).sees({ a: "1" });
    expect(await reader.get("a")).toBe("1");
    await expect(reader.create("b", "1")).rejects.toMatchObject({ code: "STORE_AUTH" });
  });

  it("says when JetStream is off", async () => {
    await using bench = new Bench();
    const { url } = bench.add(await startNats({ jetstream: false }));
    for (const call of [
      (): Promise<unknown> => bench.store(url).check(),
      () => bench.store(url).bucket("b").create("a", "1"),
      () => bench.store(url).bucket("b").watch(),
    ])
      await expect(call()).rejects.toMatchObject({
        code: "STORE_RESPONSE",
        message: expect.stringContaining("JetStream does not answer"),
      });
  });

  describe("by TLS", () => {
    it.each<[string, NatsStoreConfig["tls"]]>([
      ["files", { caPath: testTls.ca, ...client }],
      ["texts", { ca: read(testTls.ca), cert: read(client.certPath), key: read(client.keyPath) }],
    ])("works with a client certificate from %s", async (_, tls) => {
      await using bench = new Bench();
      const { port } = bench.add(await startNats({ tls: "server" }));
      const bucket = bench.store(`tls://127.0.0.1:${port}`, { tls }).bucket("b");
      expect(await bucket.create("a", "1")).toBe(true);
    });

    it.each<[string, NatsStoreConfig["tls"], "server" | "misnamed"]>([
      ["a CA nobody told us of", client, "server"],
      ["another CA", { caPath: testTls.otherCa, ...client }, "server"],
      ["another name", { caPath: testTls.ca, ...client }, "misnamed"],
    ])("refuses %s", async (_, tls, certificate) => {
      await using bench = new Bench();
      const { url } = bench.add(await startNats({ tls: certificate }));
      await expect(bench.store(url, { tls }).check()).rejects.toMatchObject({ code: "STORE_TLS" });
    });

    it("hints at the client certificate that the server may demand", async () => {
      await using bench = new Bench();
      const { url } = bench.add(await startNats({ tls: "server" }));
      const settings = { tls: { caPath: testTls.ca }, requestTimeout: 500 };
      await expect(bench.store(url, settings).check()).rejects.toMatchObject({
        code: "STORE_TIMEOUT",
        message: expect.stringContaining("client certificate"),
      });
    });

    it("takes the name that it is told", async () => {
      await using bench = new Bench();
      const { url } = bench.add(await startNats({ tls: "misnamed" }));
      const tls = { caPath: testTls.ca, serverName: "store.test", ...client };
      await bench.store(url, { tls }).check();
    });

    it("is not given up when the server has none", async () => {
      await using bench = new Bench();
      const { url } = bench.add(await startNats());
      const plain = bench.store(url, { tls: { caPath: testTls.ca } }).check();
      await expect(plain).rejects.toMatchObject({ code: "STORE_TLS" });
    });

    it("fails by name when a file is not there or holds no certificate", async () => {
      await using bench = new Bench();
      const { url } = bench.add(await startNats({ tls: "server" }));
      const folder = mkdtempSync(join(tmpdir(), "muster-tls-"));
      const file = join(folder, "ca.pem");
      const check = () => bench.store(url, { tls: { caPath: file } }).check();
      await expect(check()).rejects.toMatchObject({
        code: "STORE_CONFIG",
        message: expect.stringContaining(file),
      });
      writeFileSync(file, "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n");
      await expect(check()).rejects.toMatchObject({
        code: expect.stringMatching(/^STORE_(TLS|CONFIG)$/),
      });
      rmSync(folder, { recursive: true });
    });
  });
});
