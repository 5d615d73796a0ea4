import type { UserWorkspaceConfig } from "vitest/config";

const conditions = ["@muster/source", "module", "node", "development|production"];

/** One package's tests: beside the sources and in `test/`, workspace packages resolved to their sources. */
export function project(name: string): UserWorkspaceConfig {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: { name, environment: "node", include: ["{src,test}/**/*.test.ts"] },
  };
}
