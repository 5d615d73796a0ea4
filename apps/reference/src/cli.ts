#!/usr/bin/env node
import process from "node:process";
import { main } from "./cli/program.ts";
import { terminationSignal } from "./cli/signals.ts";
import { standardStreams } from "./cli/standard-streams.ts";

process.exitCode = await main(process.argv.slice(2), {
  ...standardStreams(),
  env: process.env,
  signal: terminationSignal(),
});
