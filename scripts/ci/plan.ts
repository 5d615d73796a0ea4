import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkBoundaries } from "../boundaries/check.ts";
import { boundaries } from "../boundaries/table.ts";
import { staleFiles } from "../generate/outputs.ts";
import { readJson, root } from "../workspace.ts";
import { bin, exec } from "./exec.ts";
import { checkImage } from "./image.ts";
import { publishDryRun } from "./jsr.ts";
import { createConsumer, runPortable } from "./portable.ts";
import { runtimes } from "./runtimes.ts";
import { checkStart } from "./start.ts";
import type { Step } from "./steps.ts";
import { lintTarballs, packAll } from "./tarballs.ts";
import { judgeTests, reportVariable, type TestsReport } from "./tests-report.ts";
import { testThirdParty } from "./third-party.ts";

const report = join(root, ".muster", "tests.json");
const reporter = join(root, "scripts", "ci", "tests-report.ts");

/** What reads the tree without running it: `npm run check`. */
export const staticSteps: readonly Step[] = [
  { name: "lint", run: () => exec(bin("biome"), ["lint", "--error-on-warnings", "."]) },
  { name: "format", run: () => exec(bin("biome"), ["check", "--linter-enabled=false", "."]) },
  {
    name: "types",
    run: async () => {
      await exec(bin("turbo"), ["run", "typecheck", "--output-logs=errors-only"]);
      await exec(bin("tsc"), ["-p", "scripts"]);
    },
  },
  { name: "boundaries", run: () => fail(checkBoundaries(root, boundaries)) },
  { name: "knip", run: () => exec(bin("knip"), []) },
  { name: "generated files", run: async () => fail(await staleFiles()) },
];

/** What builds and runs it. */
export const dynamicSteps: readonly Step[] = [
  {
    name: "build",
    run: () => exec(bin("turbo"), ["run", "build", "--output-logs=errors-only"]),
  },
  {
    name: "npm test",
    run: async (count) => {
      const flags = ["--coverage", "--retry=1", "--reporter=default", `--reporter=${reporter}`];
      rmSync(report, { force: true });
      const run = exec("npm", ["test", "--", ...flags], { env: { [reportVariable]: report } });
      const [outcome] = await Promise.allSettled([run]);
      if (existsSync(report)) judgeTests(readJson<TestsReport>(report), count, console.log);
      if (outcome.status === "rejected") throw outcome.reason;
    },
  },
  { name: "pack", needs: ["build"], run: packAll },
  { name: "packages", needs: ["pack"], run: lintTarballs },
  { name: "jsr", run: publishDryRun },
  ...runtimes.map((runtime) => ({
    name: `portable on ${runtime.name}`,
    needs: ["pack"],
    run: async (count: Parameters<Step["run"]>[0]) => {
      const consumer = await createConsumer();
      try {
        await runPortable(consumer, runtime, count);
      } finally {
        consumer.remove();
      }
    },
  })),
  { name: "third-party example", needs: ["pack"], run: testThirdParty },
  { name: "image", run: checkImage },
  { name: "npm start", needs: ["build"], run: checkStart },
  {
    name: "benchmark smoke",
    needs: ["build"],
    run: () => exec("npm", ["run", "bench", "--", "--smoke"]),
  },
];

function fail(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`\n  ${problems.join("\n  ")}`);
}
