import { defineConfig } from "vitest/config";
import { TellSkipped } from "./scripts/tell-skipped.ts";

export default defineConfig({
  test: {
    // The default leaves a core to the watcher: on two cores that is one test file at a time.
    maxWorkers: "100%",
    reporters: ["default", new TellSkipped()],
    projects: [
      "{packages,apps,examples}/*/vitest.config.ts",
      "{benchmarks,scripts,test-servers}/vitest.config.ts",
    ],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts"],
      reporter: ["text-summary", "json-summary"],
    },
  },
});
