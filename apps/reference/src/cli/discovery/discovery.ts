import type { Command } from "commander";
import type { Io } from "../io.ts";
import { addList } from "./list.ts";
import { addRegister } from "./register.ts";
import { addUnregister } from "./unregister.ts";
import { addWatch } from "./watch.ts";

/** `muster discovery`: looks at a discovery plane, and registers what cannot register itself. */
export function addDiscovery(program: Command, io: Io, done: (code: number) => void): void {
  const discovery = program
    .command("discovery")
    .description("list, watch, register and unregister on a discovery plane")
    .addHelpText(
      "after",
      `
A store is named by --store file:///dir, etcd://host:port,host:port, etcds://… (TLS) or nats://host:port,
or by the environment variables of the fleet. Each command has --help.`,
    );
  for (const add of [addList, addWatch, addRegister, addUnregister]) add(discovery, io, done);
}
