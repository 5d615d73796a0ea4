import process from "node:process";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import { perform } from "./perform.ts";
import type { Action } from "./records.ts";

/** What the test sends. */
export interface Request {
  readonly number: number;
  /** Undefined: leave. */
  readonly action: Action | undefined;
}

/** What it gets back: first an id, then one answer per request. */
export type Answer =
  | { readonly instanceId: bigint }
  | { readonly number: number; readonly problem?: string };

// a worker of its own process, on the store whose configuration is its argument
const config = JSON.parse(process.argv[2] ?? "") as StoreConfig;
const plane = createKvDiscovery(await createStore(config));
const answer = (message: Answer): void => void process.send?.(message);

process.on("message", ({ number, action }: Request) => {
  const work = action ? perform(plane, action) : plane.close();
  work.then(
    () => answer({ number }),
    (error: unknown) => answer({ number, problem: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
answer({ instanceId: plane.instanceId });
