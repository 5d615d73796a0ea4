import { Command, CommanderError } from "commander";
import { addCheck } from "./check.ts";
import { addDemo } from "./demo.ts";
import { addDiscovery } from "./discovery/discovery.ts";
import { addInspect } from "./inspect.ts";
import { exit, type Io } from "./io.ts";
import { reportError } from "./report-error.ts";
import { addRun } from "./run.ts";
import { addSim } from "./sim.ts";
import { version } from "./version.ts";

/** Registers a command whose action gives the exit code. */
export type AddCommand = (program: Command, io: Io, done: (code: number) => void) => void;

/** Runs the CLI with the given arguments (without node and script) and gives the exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  let code: number = exit.ok;
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    return reportError(error, io);
  }
}

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command("muster")
    .description("The live roll of an LLM inference fleet.")
    .version(version, "-V, --version")
    .showHelpAfterError("(see --help)")
    .showSuggestionAfterError()
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong arguments or configuration.");
  const commands: readonly AddCommand[] = [
    ...[addRun, addCheck, addInspect, addDiscovery, addSim, addDemo],
  ];
  for (const add of commands) add(program, io, done);
  for (const command of allCommands(program))
    command
      .exitOverride()
      .allowExcessArguments(false)
      .configureOutput({ writeOut: io.out, writeErr: io.err });
  return program;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
