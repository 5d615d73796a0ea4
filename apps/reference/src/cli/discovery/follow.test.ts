import type { DiscoveryEvent } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryStore, memoryRegistry } from "@muster/discovery-kv/memory";
import { expect, it, vi } from "vitest";
import { anyAborted } from "../io.ts";
import { followRecords } from "./follow.ts";

it("takes no more events than whoever reads them", async () => {
  const registry = memoryRegistry("follow-test");
  await using plane = createKvDiscovery(createMemoryStore({ registry }));
  const stop = new AbortController();
  const read = new AbortController();
  const follow = (seen: DiscoveryEvent[], drained: () => Promise<void> | undefined) =>
    followRecords(plane, {
      kinds: ["endpoints"],
      filter: {},
      signal: stop.signal,
      retry: { deadline: 0, io: { err: () => undefined, signal: stop.signal }, store: "memory" },
      write: (_kind, event) => void seen.push(event),
      drained,
    });
  const [slow, quick]: [DiscoveryEvent[], DiscoveryEvent[]] = [[], []];
  const running = [follow(slow, () => anyAborted(read.signal)), follow(quick, () => undefined)];
  await vi.waitFor(() => expect([slow.length, quick.length]).toEqual([1, 1]));
  for (const endpoint of ["a", "b", "c"]) {
    const place = { namespace: "n", component: "c", endpoint };
    await plane.register({ type: "Endpoint", ...place, transport: { tcp: "h:1" } });
  }
  await vi.waitFor(() => expect(quick).toHaveLength(4));
  expect(slow).toHaveLength(1);
  read.abort();
  await vi.waitFor(() => expect(slow).toHaveLength(4));
  stop.abort();
  await Promise.allSettled(running);
});
