import process from "node:process";
import { fileURLToPath } from "node:url";
import type { UserWorkspaceConfig } from "vitest/config";

const seed = fileURLToPath(new URL("scripts/property-seed.ts", import.meta.url));
const conditions = ["@muster/source", "module", "node", "development|production"];

/** One package's tests, workspace packages resolved to their sources; by default beside the sources and in `test/`. */
export function project(
  name: string,
  include: string[] = ["{src,test}/**/*.test.ts"],
): UserWorkspaceConfig {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    // real servers on a busy machine: what hangs is found by the tests' own deadlines
    test: {
      name,
      environment: "node",
      include,
      setupFiles: process.env.CI ? [seed] : [],
      testTimeout: 20_000,
      hookTimeout: 20_000,
    },
  };
}
