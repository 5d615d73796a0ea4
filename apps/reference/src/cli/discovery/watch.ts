import { systemClock } from "@muster/core";
import type { Command } from "commander";
import { openVisiblePlane } from "../../plane/open-plane.ts";
import { describePlane } from "../../plane/plane-config.ts";
import { exit, type Io } from "../io.ts";
import { jsonEvents, textEvents } from "./event-lines.ts";
import { followRecords } from "./follow.ts";
import {
  addFilterOptions,
  connectTimeoutOption,
  type FilterFlags,
  filterOf,
  kindsOf,
  kubeHelp,
  patienceOf,
  planeOf,
  type StoreFlags,
  storeHelp,
  storeOption,
} from "./options.ts";

interface WatchFlags extends StoreFlags, FilterFlags {
  readonly json?: boolean;
}

/** `muster discovery watch`: what is registered, and every change. */
export function addWatch(discovery: Command, io: Io, done: (code: number) => void): void {
  const command = discovery
    .command("watch")
    .description("show what is registered, and every change, until interrupted");
  addFilterOptions(command.addOption(storeOption()))
    .option("--json", "print each event as a line of JSON, records in the form of the store")
    .addOption(connectTimeoutOption())
    .addHelpText(
      "after",
      `${storeHelp}${kubeHelp}

JSON lines are {"event":"added","record":{…}}, also for an endpoint that changed, {"event":"removed",
"kind":…,"key":…,"id":{…}}, {"event":"taints","key":…,"taints":[…]} and, once what was there is told and
again when changes may have been missed, {"event":"resync","kind":…,"count":N}; the differences come
before it. That the store is lost, and found again, is told on standard error.
Exit codes: 0 interrupted or nobody reads on, 1 the store cannot be followed, 2 wrong arguments.

Examples:
  muster discovery watch --store etcd://127.0.0.1:2379
  muster discovery watch --store file:///tmp/dynamo_store_kv --namespace dynamo --kind endpoints --json`,
    )
    .action(async (flags: WatchFlags) => done(await watch(flags, io)));
}

async function watch(flags: WatchFlags, io: Io): Promise<number> {
  const config = planeOf(flags, io);
  const filter = filterOf(flags, io);
  const deadline = systemClock.monotonic() + patienceOf(flags, io);
  const signal = AbortSignal.any([io.signal, io.outputGone]);
  try {
    await using plane = await openVisiblePlane(config, io, "problems but outages");
    await followRecords(plane.discovery, {
      kinds: kindsOf(flags),
      filter,
      signal,
      retry: {
        ...{ deadline, io: { err: io.err, signal }, store: describePlane(config) },
        check: (options) => plane.discovery.check(options),
      },
      write: flags.json ? jsonEvents(io.out) : textEvents(io),
      drained: io.drained,
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return exit.ok;
}
