import { systemClock } from "@muster/core";
import { encodeInstance } from "@muster/core/plane";
import { type Command, Option } from "commander";
import { openVisiblePlane } from "../../plane/open-plane.ts";
import { describePlane } from "../../plane/plane-config.ts";
import { listRecords, readRecords, type StoredRecords } from "../../plane/records.ts";
import { retryWhileAway } from "../../plane/retry.ts";
import { exit, type Io } from "../io.ts";
import { printable, printableJson } from "../printable.ts";
import { problemLine } from "../report-error.ts";
import {
  addFilterOptions,
  connectTimeoutOption,
  type FilterFlags,
  filterOf,
  kindsOf,
  kubeHelp,
  planeOf,
  type StoreFlags,
  storeHelp,
  storeOption,
} from "./options.ts";
import { recordTables } from "./table.ts";

/** Unreadable records that are named; the rest is counted. */
const maxNamed = 10;

interface ListFlags extends StoreFlags, FilterFlags {
  readonly json?: boolean;
  readonly keys?: boolean;
}

/** `muster discovery list`: what is registered now. */
export function addList(discovery: Command, io: Io, done: (code: number) => void): void {
  const command = discovery.command("list").description("show what is registered now");
  addFilterOptions(command.addOption(storeOption()))
    .option("--json", "print each record as a line of JSON, in the form that it has in the store")
    .addOption(new Option("--keys", "print only keys, for `unregister`").conflicts("json"))
    .addOption(connectTimeoutOption("do not wait"))
    .addHelpText(
      "after",
      `${storeHelp}${kubeHelp}

Records that cannot be read are told on standard error. In JSON, ids are numbers of 64 bits: read them
as such (jq 1.7, Python), not as JavaScript's JSON.parse does.
Exit codes: 0 done (also when nothing is registered), 1 the store cannot be read, 2 wrong arguments.

Examples:
  muster discovery list --store etcd://127.0.0.1:2379
  muster discovery list --store file:///tmp/dynamo_store_kv --namespace dynamo --kind models --json
  muster discovery list --component backend --keys | tr '\\n' '\\0' | xargs -r0 muster discovery unregister`,
    )
    .action(async (flags: ListFlags) => done(await list(flags, io)));
}

async function list(flags: ListFlags, io: Io): Promise<number> {
  const config = planeOf(flags, io);
  const filter = filterOf(flags, io);
  await using plane = await openVisiblePlane(config, io);
  const options = { kinds: kindsOf(flags), filter, signal: io.signal };
  const deadline = systemClock.monotonic() + (flags.connectTimeout ?? 0);
  const found = await retryWhileAway(
    () =>
      plane.store === undefined
        ? listRecords(plane.discovery, options)
        : readRecords(plane.store, options),
    { deadline, io, store: describePlane(config) },
  );
  if (flags.json)
    for (const { instance } of found.records)
      io.out(`${printableJson(encodeInstance(instance))}\n`);
  else if (flags.keys) for (const { key } of found.records) io.out(`${printable(key)}\n`);
  else io.out(recordTables(found.records));
  tellRest(found, io);
  return exit.ok;
}

function tellRest({ records, unreadable }: StoredRecords, io: Io): void {
  if (records.length === 0) io.err("nothing is registered that matches\n");
  if (unreadable.size === 0) return;
  io.err(`${unreadable.size} records cannot be read:\n`);
  for (const [key, problem] of [...unreadable].slice(0, maxNamed))
    io.err(`  ${printable(key)}: ${problemLine(problem)}\n`);
  if (unreadable.size > maxNamed) io.err(`  and ${unreadable.size - maxNamed} more\n`);
}
