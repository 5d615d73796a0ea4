import { expect, it } from "vitest";
import { client, follow, freshRoot } from "./file-fixture.ts";
import { startPeer } from "./file-processes.ts";

it("lets exactly one of several processes create each key", async () => {
  const { root } = freshRoot();
  // so long that a process which gets no CPU is not taken for dead
  const ttl = "60s";
  const peers = ["one", "two", "three"].map((value) => ({ value, peer: startPeer(root, ttl) }));
  const { bucket } = client(root, { ttl });
  await Promise.all(peers.map(({ peer }) => peer.ask("entries")));
  const wins = await Promise.all(
    peers.map(async ({ value, peer }) => ({
      value,
      keys: (await peer.ask(`race 300 ${value}`)) as string[],
    })),
  );
  const expected = wins.flatMap(({ value, keys }) => keys.map((key) => [key, value]));
  expect(expected).toHaveLength(300);
  expect(Object.fromEntries(await bucket.entries())).toEqual(Object.fromEntries(expected));
});

it("loses no update of processes that replace one value", async () => {
  const { root } = freshRoot();
  const peers = [startPeer(root, "60s"), startPeer(root, "60s"), startPeer(root, "60s")];
  const { bucket } = client(root, { ttl: "60s" });
  await bucket.create("n", "0");
  await Promise.all(peers.map((peer) => peer.ask("count n 40")));
  expect(await bucket.get("n")).toBe("120");
});

it("sees the records of a process that was killed vanish, and no others", async () => {
  const { root } = freshRoot();
  const [dying, staying] = [startPeer(root), startPeer(root)];
  const { bucket } = client(root);
  const reader = await follow(bucket);
  await dying.ask("create dying 1");
  await staying.ask("create staying 2");
  await reader.until({ dying: "1", staying: "2" });
  await dying.signal("SIGKILL");
  await reader.until({ staying: "2" });
  expect(reader.events.filter((event) => event.startsWith("Delete"))).toEqual(["Delete dying"]);
  expect([...(await bucket.entries())]).toEqual([["staying", "2"]]);
});

it("has the records back of a process that was stopped beyond their lifetime", async () => {
  const { root } = freshRoot();
  const peer = startPeer(root);
  const reader = await follow(client(root).bucket);
  await peer.ask("create a 1");
  await peer.ask("create b 2");
  await reader.until({ a: "1", b: "2" });
  await peer.signal("SIGSTOP");
  await reader.until({});
  await peer.signal("SIGCONT");
  await reader.until({ a: "1", b: "2" });
  await peer.ask("close");
  await reader.until({});
});

it("ends without leaving a record when all processes close", async () => {
  const { root } = freshRoot();
  const peers = [startPeer(root), startPeer(root)];
  for (const [index, peer] of peers.entries()) await peer.ask(`create ${index} x`);
  const { bucket } = client(root);
  expect((await bucket.entries()).size).toBe(2);
  for (const peer of peers) await peer.ask("close");
  expect((await bucket.entries()).size).toBe(0);
});
