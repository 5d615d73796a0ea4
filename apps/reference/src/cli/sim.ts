import { createLoad, createModelServer } from "@muster/sim";
import { type Command, Option } from "commander";
import { exit, type Io } from "./io.ts";
import { hostOption, parseCount, parsePositive, portOption } from "./options.ts";

interface SimFlags {
  readonly engine: "vllm" | "sglang" | "trtllm-serve";
  readonly model?: string;
  readonly host?: string;
  readonly port?: number;
  readonly seed: number;
  readonly ranks: number;
  readonly lora: readonly string[];
  readonly load?: number;
}

/** `muster sim`: one simulated model server, until asked to end. */
export function addSim(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("sim")
    .description("run a simulated model server until interrupted")
    .addOption(
      new Option("--engine <name>", "engine whose page it shows")
        .choices(["vllm", "sglang", "trtllm-serve"])
        .default("vllm"),
    )
    .option("--model <name>", "name of the model it serves")
    .addOption(hostOption())
    .addOption(portOption())
    .option("--seed <number>", "seed; the same one gives the same run", parseCount, 1)
    .option("--ranks <number>", "data-parallel ranks", parseCount, 1)
    .option("--lora <name...>", "LoRA adapters it knows (vllm)", [])
    .option("--load <rate>", "also send itself this many requests a second", parsePositive)
    .addHelpText(
      "after",
      `
It answers /v1/models, /v1/completions and /v1/chat/completions like the real server, shows its
queue on the metrics page, and takes faults: POST /sim/faults {"kind": "hang"}.

Example:
  muster sim --engine sglang --port 8001 --ranks 2 --load 5`,
    )
    .action(async (flags: SimFlags) => done(await simulate(flags, io)));
}

async function simulate(flags: SimFlags, io: Io): Promise<number> {
  const { lora, load: rate, ...options } = flags;
  const server = createModelServer({ ...options, loras: lora });
  await server.start();
  io.out(`${server.url}\nmetrics: ${server.url}${server.metricsPath}\n`);
  const load =
    rate === undefined ? undefined : createLoad({ targets: [server.url], rate, seed: flags.seed });
  load?.start();
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    else io.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await load?.stop();
  await server.stop();
  return exit.ok;
}
