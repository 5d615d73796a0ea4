#!/usr/bin/env node
import process from "node:process";
import { main } from "./cli/program.ts";
import { endWith, terminationSignal } from "./cli/signals.ts";
import { standardStreams } from "./cli/standard-streams.ts";

const signal = terminationSignal();
const code = await main(process.argv.slice(2), { ...standardStreams(), env: process.env, signal });
endWith(code, signal);
