import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fast, Rig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe("what goes wrong with watches in the field", () => {
  it("a watch goes silent without an error [kubernetes-client/javascript#596, #1933]", async () => {
    await rig.create("a");
    const reader = rig.read();
    await reader.settles("a");
    await rig.watched();
    rig.server.faults.silence();
    await rig.remove("a");
    await rig.create("b");
    await reader.settles("b");
    expect(reader.interruptions).toContain("KUBE_TIMEOUT");
    rig.server.faults.speak();
    await rig.create("c");
    await reader.settles("b", "c");
  });

  it("a silent watch ends at the server's time-out and is taken up again [production-stack#1091]", async () => {
    await rig.create("a");
    const reader = rig.read({ ...fast, watchTimeout: 1 });
    await reader.settles("a");
    await expect.poll(() => rig.count("watch"), { timeout: 4000 }).toBeGreaterThan(2);
    await rig.create("b");
    await reader.settles("a", "b");
    // its time was up: nothing was wrong, nothing had to be listed
    expect([rig.count("list"), reader.interruptions]).toEqual([1, []]);
  });

  it.each(["event", "status"] as const)(
    "a revision is too old, said by %s [kubernetes-client/javascript#958, #494]",
    async (how) => {
      await rig.create("a", "b");
      const reader = rig.read();
      await reader.settles("a", "b");
      await rig.watched();
      rig.server.faults.silence();
      await rig.remove("a");
      await rig.create("c");
      rig.server.faults.compact(how);
      rig.server.faults.speak();
      await reader.settles("b", "c");
      await reader.follows();
    },
  );

  it("the list after a 410 fails once [kubernetes-client/javascript#795]", async () => {
    await rig.create("a");
    const reader = rig.read();
    await reader.settles("a");
    await rig.watched();
    rig.server.faults.fail({ verb: "list", status: 500 });
    rig.server.faults.errorEvent(410, "Expired");
    await rig.create("b");
    await reader.settles("a", "b");
    await reader.follows();
    expect(reader.interruptions).toContain("KUBE_UNAVAILABLE");
  });

  it("events are dropped while the watch is down [kubernetes-client/javascript#494]", async () => {
    await rig.create("a", "b");
    const reader = rig.read();
    await reader.settles("a", "b");
    await rig.watched();
    rig.server.faults.loseDeletions(1);
    await rig.remove("a");
    await rig.create("c");
    await reader.settles("a", "b", "c");
    rig.server.faults.dropWatches();
    await reader.settles("b", "c");
  });

  it("deletions that no watch tells are found by the list that comes anyway [kubernetes-client/javascript#1933]", async () => {
    await rig.create("a", "b");
    const reader = rig.read({ ...fast, relist: 100 });
    await reader.settles("a", "b");
    rig.server.faults.loseDeletions(1);
    await rig.remove("a");
    await reader.settles("b");
    expect(reader.interruptions).toEqual([]);
  });

  it("an object replaced while nobody watched is another one [llm-d-router#2188, prometheus#10257]", async () => {
    await rig.create("a");
    const reader = rig.read();
    await reader.settles("a");
    await rig.watched();
    const old = reader.objects.get("a");
    await rig.server.stop();
    await rig.server.start();
    await rig.remove("a");
    await rig.create("a", "end");
    await reader.settles("a", "end");
    expect(reader.objects.get("a")).not.toBe(old);
    expect(reader.objects).toEqual(await rig.truth());
  });

  it("a touch is no change: what has no new revision is not told again [dynamo#4434]", async () => {
    await rig.create("a");
    const reader = rig.read();
    await reader.settles("a");
    await rig.watched();
    const [added] = reader.events;
    rig.server.faults.garbage(JSON.stringify({ ...added, type: "MODIFIED" }));
    const lists = rig.count("list");
    rig.server.faults.dropWatches();
    await expect.poll(() => rig.count("list")).toBeGreaterThan(lists);
    await rig.create("end");
    await reader.settles("a", "end");
    expect(reader.events.filter(({ type }) => type === "Modified")).toEqual([]);
  });

  it.each([401, 403, 404, 429, 500, 503])(
    "the informer dies of %s on a watch; this one does not [kubernetes-client/javascript#596]",
    async (status) => {
      await rig.create("a");
      const reader = rig.read();
      await reader.settles("a");
      await rig.watched();
      rig.server.faults.fail({ verb: "watch", status, times: 3 });
      rig.server.faults.dropWatches();
      await rig.create("b");
      await reader.settles("a", "b");
      await reader.follows();
    },
  );

  it("ERROR events other than 410 are dropped by the informer; here they are a reason to list", async () => {
    const reader = rig.read();
    await rig.watched();
    rig.server.faults.errorEvent(500);
    await rig.create("a");
    await reader.settles("a");
    await expect.poll(() => reader.interruptions).toContain("KUBE_UNAVAILABLE");
    await reader.follows();
  });
});
