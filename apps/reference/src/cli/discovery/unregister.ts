import { MusterError } from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import { planeBuckets } from "@muster/core/plane";
import type { Command } from "commander";
import { openPlane } from "../../plane/open-plane.ts";
import { readRecords, splitKey } from "../../plane/records.ts";
import { describeStore } from "../../plane/store-url.ts";
import { exit, type Io } from "../io.ts";
import { printable } from "../printable.ts";
import {
  addFilterOptions,
  type FilterFlags,
  filterOf,
  kindsOf,
  parseInstanceId,
  type StoreFlags,
  storeHelp,
  storeOf,
  storeOption,
} from "./options.ts";

interface UnregisterFlags extends StoreFlags, FilterFlags {
  readonly instanceId?: bigint;
}

/** `muster discovery unregister`: removes records, whoever wrote them. */
export function addUnregister(discovery: Command, io: Io, done: (code: number) => void): void {
  const command = discovery
    .command("unregister")
    .description("remove records, whoever registered them")
    .argument("[key...]", "keys as `list --keys` prints them");
  addFilterOptions(command.addOption(storeOption()))
    .option("--instance-id <hex>", "instead of keys: all records of this instance", parseInstanceId)
    .addHelpText(
      "after",
      `${storeHelp}

A worker that is alive may register again. Records that cannot be read are removed by key, too.
Exit codes: 0 all of them were removed, 1 one was not there or the store cannot be reached, 2 wrong
arguments.

Examples:
  muster discovery unregister --store etcd://127.0.0.1:2379 v1/instances/dynamo/backend/generate/694d8a1b2c3d4e5f
  muster discovery unregister --store etcd://127.0.0.1:2379 --namespace dynamo --instance-id 694d8a1b2c3d4e5f`,
    )
    .action(async (keys: string[], flags: UnregisterFlags) =>
      done(await unregister(keys, flags, io)),
    );
}

async function unregister(keys: string[], flags: UnregisterFlags, io: Io): Promise<number> {
  const config = storeOf(flags, io);
  const places = keys.map(placeOfKey);
  checkChoice(keys, flags);
  await using plane = await openPlane(config, io);
  if (flags.instanceId !== undefined)
    places.push(...(await keysOfInstance(plane.store, flags, io)).map(placeOfKey));
  let missing = places.length === 0 ? 1 : 0;
  if (places.length === 0) io.err(`nothing of that instance is in the ${describeStore(config)}\n`);
  for (const { key, bucket, relative } of places) {
    const removed = await plane.store.bucket(bucket).delete(relative, { signal: io.signal });
    if (removed) io.out(`removed ${printable(key)}\n`);
    else io.err(`not there: ${printable(key)}\n`);
    if (!removed) missing += 1;
  }
  return missing === 0 ? exit.ok : exit.failed;
}

function checkChoice(keys: readonly string[], flags: UnregisterFlags): void {
  const { instanceId, kind, namespace, component, endpoint } = flags;
  const filtered = kind !== "all" || (namespace ?? component ?? endpoint) !== undefined;
  if (keys.length === 0 && instanceId === undefined)
    throw new MusterError("USAGE", "what is to be removed? give keys, or --instance-id");
  if (keys.length > 0 && (instanceId !== undefined || filtered))
    throw new MusterError("USAGE", "give keys, or --instance-id with where to look, not both");
}

async function keysOfInstance(
  store: KeyValueStore,
  flags: UnregisterFlags,
  io: Io,
): Promise<readonly string[]> {
  const options = { kinds: kindsOf(flags), filter: filterOf(flags, io), signal: io.signal };
  const { records } = await readRecords(store, options);
  return records
    .filter(({ instance }) => instance.instanceId === flags.instanceId)
    .map(({ key }) => key);
}

function placeOfKey(key: string): { key: string; bucket: string; relative: string } {
  const place = splitKey(key);
  if (place !== undefined) return { key, ...place };
  const buckets = Object.values(planeBuckets).join(", ");
  throw new MusterError(
    "USAGE",
    `"${key}" is no key as \`muster discovery list --keys\` prints them: it begins with none of ${buckets}`,
  );
}
