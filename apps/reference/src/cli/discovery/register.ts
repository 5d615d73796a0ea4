import { MusterError } from "@muster/core";
import { encodeInstance, RawJson } from "@muster/core/plane";
import type { StoreConfig } from "@muster/discovery-kv";
import { type Command, Option } from "commander";
import { readBounded } from "../../inspect/read-bounded.ts";
import { modelCard } from "../../plane/card.ts";
import { type Registration, register } from "../../plane/registration.ts";
import { anyAborted, exit, type Io } from "../io.ts";
import { parseText } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import { wrongOption } from "../report-error.ts";
import { nameParts, valueParts } from "./describe.ts";
import {
  connectTimeoutOption,
  namespaceOf,
  parseInstanceId,
  patienceOf,
  type StoreFlags,
  storeHelp,
  storeOf,
  storeOption,
} from "./options.ts";
import { type TransportFlags, transportOf } from "./transport.ts";

/** Largest card that is read, in bytes; etcd takes 1.5 MiB in a request. */
const maxCardBytes = 1024 * 1024;

interface RegisterFlags extends StoreFlags, TransportFlags {
  readonly namespace?: string;
  readonly component: string;
  readonly endpoint: string;
  readonly model?: string;
  readonly card?: string;
  readonly lora: readonly string[];
  readonly deviceType?: string;
  readonly instanceId?: bigint;
  readonly json?: boolean;
}

/** `muster discovery register`: registers a server, and holds it until interrupted. */
export function addRegister(discovery: Command, io: Io, done: (code: number) => void): void {
  discovery
    .command("register")
    .description("register a server and keep it registered until interrupted")
    .addOption(storeOption())
    .option("--namespace <name>", "namespace of the server (default: DYN_NAMESPACE)")
    .option("--component <name>", "component of the server", "backend")
    .option("--endpoint <name>", "endpoint of the server", "generate")
    .option("--http <url>", "it is reached over HTTP: http://10.0.0.7:8000")
    .option("--tcp <host:port>", "it speaks Dynamo's TCP request plane")
    .option("--nats-subject <subject>", "it speaks Dynamo's NATS request plane", parseText)
    .option("--transport <json>", 'transport as the record has it: {"tcp":"host:port/id/endpoint"}')
    .option("--model <name>", "model that it serves, with a plain card", parseText)
    .option("--card <file>", "model that it serves, with the card in this file (JSON)")
    .addOption(
      new Option("--lora <name...>", "LoRA adapters that it serves, each a model").default(
        [],
        "none",
      ),
    )
    .option("--device-type <type>", "device that it runs on, such as cuda or cpu", parseText)
    .option(
      "--instance-id <hex>",
      "id to register under, which no other process has: what it left is replaced (default: a new one)",
      parseInstanceId,
    )
    .option("--json", "print each record as a line of JSON, in the form that it has in the store")
    .addOption(connectTimeoutOption())
    .addHelpText(
      "after",
      `${storeHelp}

Records live as long as this command: when it is interrupted (SIGINT, SIGTERM) they are removed at once,
when it is killed they vanish after the store's TTL. A store that goes away is waited for, and what it
lost is written again. Exit codes: 0 interrupted, 1 refused or the store cannot be reached, 2 wrong
arguments.

Examples:
  muster discovery register --store etcd://127.0.0.1:2379 --namespace dynamo --component backend \\
    --endpoint generate --http http://10.0.0.7:8000 --model Qwen/Qwen3-0.6B
  muster discovery register --store file:///tmp/dynamo_store_kv --namespace dynamo --tcp 10.0.0.7:41234`,
    )
    .action(async (flags: RegisterFlags) => done(await hold(flags, io)));
}

async function hold(flags: RegisterFlags, io: Io): Promise<number> {
  const { component, endpoint, deviceType, lora } = flags;
  const makeTransport = transportOf(flags);
  const server = {
    namespace: namespaceOf(flags.namespace, io),
    ...{ component, endpoint, deviceType, loras: lora },
    transport: (instanceId: bigint) => makeTransport({ endpoint, instanceId }),
    card: await cardOf(flags),
  };
  const store = withInstance(storeOf(flags, io), flags.instanceId);
  try {
    await using held = await register({ store, server, connectTimeout: patienceOf(flags, io), io });
    print(held, flags, io);
    return await untilEnded(held, io);
  } catch (error) {
    if (!io.signal.aborted) throw error;
    return exit.ok;
  }
}

/** Waits until interrupted; throws when the records are lost for good. */
async function untilEnded({ lost }: Registration, { signal }: Pick<Io, "signal">): Promise<number> {
  const problem = await Promise.race([lost, anyAborted(signal)]);
  if (problem !== undefined) throw problem;
  return exit.ok;
}

function print({ instances }: Registration, { json }: RegisterFlags, io: Io): void {
  for (const instance of instances) {
    const parts = [...nameParts(instance), ...valueParts(instance)].filter((part) => part !== "");
    const line = printable(`registered ${instance.type.toLowerCase()}  ${parts.join("  ")}`);
    io.out(`${json ? printableJson(encodeInstance(instance)) : line}\n`);
  }
}

async function cardOf({ model, card }: RegisterFlags): Promise<RawJson | undefined> {
  if (model !== undefined && card !== undefined)
    throw new MusterError("USAGE", "give --model or --card, not both: a card has the model's name");
  if (card === undefined) return model === undefined ? undefined : modelCard(model);
  try {
    const bytes = await readBounded(card, maxCardBytes, "PLANE_CARD");
    return RawJson.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw wrongOption("--card", error);
  }
}

function withInstance(store: StoreConfig, instanceId: bigint | undefined): StoreConfig {
  if (instanceId === undefined) return store;
  return {
    ...store,
    ...(store.type === "etcd" ? { leaseId: instanceId } : { connectionId: instanceId }),
  };
}
