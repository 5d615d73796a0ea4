import { createLoad, createModelServer } from "@muster/sim";
import { describe, expect, it } from "vitest";
import { rawGet, until } from "./support.ts";

/** Sockets, servers and timers of this process, by kind. */
function handles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo())
    if (/TCP|HTTP|Timeout/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Kinds of which there are more than before. */
function added(before: ReadonlyMap<string, number>): string[] {
  return [...handles()]
    .filter(([name, count]) => count > (before.get(name) ?? 0))
    .map(([name]) => name);
}

// in a file of its own, since connections of other tests come and go
describe("a stopped server and a stopped load", () => {
  it("leave no handle", async () => {
    const before = handles();
    const server = createModelServer();
    await server.start();
    server.setFault({ kind: "hang" });
    const hanging = expect(rawGet(`${server.url}/metrics`)).rejects.toThrow();
    const load = createLoad({ targets: [server.url], rate: 100, maxTokens: 4000 });
    load.start();
    await until(() => server.snapshot().running > 2, "requests run");
    expect(added(before)).toContain("TCPServerWrap");
    expect(added(before)).toContain("TCPSocketWrap");
    await load.stop();
    await server.stop();
    await hanging;
    await until(() => added(before).length === 0, "every handle is gone");
  });
});
