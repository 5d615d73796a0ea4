#!/usr/bin/env node
import process from "node:process";
import { main } from "./cli/program.ts";
import { terminationSignal } from "./cli/signals.ts";

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  signal: terminationSignal(),
});
