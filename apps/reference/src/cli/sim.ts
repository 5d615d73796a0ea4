import { createLoad, createModelServer, type ModelServerSim } from "@muster/sim";
import { type Command, Option } from "commander";
import { modelCard } from "../plane/card.ts";
import { type Registration, register } from "../plane/registration.ts";
import {
  connectTimeoutOption,
  namespaceOf,
  patienceOf,
  type StoreFlags,
  storeOf,
  storeOption,
} from "./discovery/options.ts";
import { anyAborted, exit, type Io } from "./io.ts";
import { hostOption, parseCount, parsePositive, parseText, portOption } from "./options.ts";

interface SimFlags extends StoreFlags {
  readonly engine: "vllm" | "sglang" | "trtllm-serve";
  readonly model?: string;
  readonly host?: string;
  readonly port?: number;
  readonly seed: number;
  readonly ranks: number;
  readonly lora: readonly string[];
  readonly load?: number;
  readonly register?: boolean;
  readonly namespace?: string;
  readonly component: string;
  readonly endpoint: string;
  readonly endWithInput?: boolean;
}

/** `muster sim`: one simulated model server, until asked to end. */
export function addSim(program: Command, io: Io, done: (code: number) => void): void {
  const sim = program
    .command("sim")
    .description("run a simulated model server until interrupted")
    .addOption(
      new Option("--engine <name>", "engine whose page it shows")
        .choices(["vllm", "sglang", "trtllm-serve"])
        .default("vllm"),
    )
    .option("--model <name>", "name of the model it serves", parseText)
    .addOption(hostOption())
    .addOption(portOption())
    .option("--seed <number>", "seed; the same one gives the same run", parseCount, 1)
    .option("--ranks <number>", "data-parallel ranks", parseCount, 1)
    .option("--lora <name...>", "LoRA adapters it knows (vllm)", [])
    .option("--load <rate>", "also send itself this many requests a second", parsePositive);
  addRegisterOptions(sim)
    .option("--end-with-input", "end when standard input does: for a parent that may die")
    .addHelpText(
      "after",
      `
It answers /v1/models, /v1/completions and /v1/chat/completions like the real server, shows its
queue on the metrics page, and takes faults: POST /sim/faults {"kind": "hang"}.

Examples:
  muster sim --engine sglang --port 8001 --ranks 2 --load 5
  muster sim --register --store file:///tmp/dynamo_store_kv --namespace dynamo --lora sql-lora`,
    )
    .action(async (flags: SimFlags) => done(await simulate(flags, io)));
}

function addRegisterOptions(sim: Command): Command {
  return sim
    .option("--register", "register itself, its model and adapters on a discovery plane")
    .addOption(storeOption())
    .option("--namespace <name>", "namespace to register in (default: DYN_NAMESPACE)")
    .option("--component <name>", "component to register as", "backend")
    .option("--endpoint <name>", "endpoint to register", "generate")
    .addOption(connectTimeoutOption());
}

async function simulate(flags: SimFlags, io: Io): Promise<number> {
  const { engine, model, host, port, seed, ranks, lora, load: rate } = flags;
  const server = createModelServer({ engine, model, host, port, seed, ranks, loras: lora });
  const ended = AbortSignal.any([io.signal, ...(flags.endWithInput ? [io.inputEnd()] : [])]);
  await server.start();
  const load =
    rate === undefined ? undefined : createLoad({ targets: [server.url], rate, seed: flags.seed });
  try {
    await using registration = flags.register
      ? await registerServer(server, flags, { err: io.err, env: io.env, signal: ended })
      : undefined;
    io.out(`${server.url}\nmetrics: ${server.url}${server.metricsPath}\n`);
    load?.start();
    const lost = await Promise.race([registration?.lost ?? never(), anyAborted(ended)]);
    if (lost !== undefined) throw lost;
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    await load?.stop();
    await server.stop();
  }
  return exit.ok;
}

function never(): Promise<undefined> {
  return new Promise(() => undefined);
}

function registerServer(
  server: ModelServerSim,
  flags: SimFlags,
  io: Pick<Io, "env" | "err" | "signal">,
): Promise<Registration> {
  const { component, endpoint, lora } = flags;
  const namespace = namespaceOf(flags.namespace, io);
  const http = `${server.url}/v1/rpc/${endpoint}`;
  return register({
    store: storeOf(flags, io),
    server: {
      ...{ namespace, component, endpoint, loras: lora },
      transport: () => ({ http }),
      card: modelCard(server.model),
    },
    connectTimeout: patienceOf(flags, io),
    io,
  });
}
