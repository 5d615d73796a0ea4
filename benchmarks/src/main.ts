import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { messageOf } from "@muster/core";
import { benchKubernetes } from "./kubernetes.ts";
import { benchKubernetesOutages } from "./kubernetes-outages.ts";
import { benchParse } from "./parse.ts";
import { benchPlane } from "./plane.ts";
import { benchRead } from "./read.ts";
import { benchScale } from "./scale.ts";
import { benchScrape } from "./scrape.ts";
import { benchStore } from "./store.ts";
import { formatReport, type Report } from "./table.ts";

const benchmarks: Readonly<Record<string, (smoke: boolean) => Report | Promise<Report>>> = {
  parse: benchParse,
  scrape: benchScrape,
  scale: benchScale,
  read: benchRead,
  store: benchStore,
  plane: benchPlane,
  kubernetes: benchKubernetes,
  "kubernetes-outages": benchKubernetesOutages,
};

const help = `Usage: npm run bench -- [NAME...] [--smoke] [--json FILE]

Measures ${Object.keys(benchmarks).join(", ")} (all without NAME), peers in the same run.
  --smoke      a few seconds only: shows that everything runs, figures mean little
  --json FILE  also write the figures to FILE
Exit code 1 when a floor is missed, except with --smoke.
`;

type Call = ReturnType<typeof parseCall>;

process.exitCode = await main();

async function main(): Promise<number> {
  let call: Call;
  try {
    call = parseCall();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${help}`);
    return 2;
  }
  if (!call.values.help) return await run(call);
  process.stdout.write(help);
  return 0;
}

function parseCall() {
  return parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: "boolean", default: false },
      json: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

async function run({ values, positionals }: Call): Promise<number> {
  const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name));
  if (unknown.length > 0) {
    process.stderr.write(`unknown benchmark ${unknown.join(", ")}\n\n${help}`);
    return 2;
  }
  const reports: Report[] = [];
  for (const [name, bench] of Object.entries(benchmarks)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    process.stderr.write(`measuring ${name} ...\n`);
    const report = await bench(values.smoke);
    reports.push(report);
    process.stdout.write(formatReport(report));
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify(reports, undefined, 2)}\n`);
  const missed = reports.flatMap((report) => report.checks).some((check) => !check.held);
  if (missed && values.smoke)
    process.stderr.write("MISSED does not count here: a short run's figures mean little\n");
  return missed && !values.smoke ? 1 : 0;
}
