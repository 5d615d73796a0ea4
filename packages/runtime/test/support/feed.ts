import type { FleetChange } from "../../src/feed/fleet-change.ts";

/** A feed that is read by hand. */
export interface FeedReader {
  /** The next change; `undefined` when the feed has ended. */
  next(): Promise<FleetChange | undefined>;
  /** The next change if it is there now; otherwise it stays asked for. */
  poll(): Promise<FleetChange | undefined>;
  /** Every change that is there now. */
  drain(): Promise<FleetChange[]>;
  close(): Promise<void>;
}

/** Reads a feed change by change. */
export function readFeed(changes: AsyncIterable<FleetChange>): FeedReader {
  const iterator = changes[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<FleetChange, unknown>> | undefined;
  const take = async (patience?: Promise<undefined>): Promise<FleetChange | undefined> => {
    asked ??= iterator.next();
    const result = await (patience === undefined ? asked : Promise.race([asked, patience]));
    if (result === undefined) return undefined;
    asked = undefined;
    return result.done === true ? undefined : result.value;
  };
  return {
    next: () => take(),
    poll: () => take(quiet()),
    async drain(): Promise<FleetChange[]> {
      const all: FleetChange[] = [];
      for (;;) {
        const change = await take(quiet());
        if (change === undefined) return all;
        all.push(change);
      }
    },
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}

/** A change that is there arrives before a few turns of the microtask queue have passed. */
async function quiet(): Promise<undefined> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return undefined;
}

/** A change without its endpoints' state: `snapshot start a,b`, `upsert a`, `delete a`. */
export function brief(change: FleetChange | undefined): string {
  if (change === undefined) return "end";
  const short = (id: string): string => id.replace("default/", "");
  if (change.type === "delete") return `delete ${short(change.id)}`;
  if (change.type === "upsert") return `upsert ${short(change.endpoint.id)}`;
  const ids = change.endpoints.map(({ id }) => short(id));
  return `snapshot ${change.reason} ${ids.join(",")}`.trimEnd();
}
