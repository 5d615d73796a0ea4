import type { UserWorkspaceConfig } from "vitest/config";

const conditions = ["@muster/source", "module", "node", "development|production"];

/** One package's tests, workspace packages resolved to their sources; by default beside the sources and in `test/`. */
export function project(
  name: string,
  include: string[] = ["{src,test}/**/*.test.ts"],
): UserWorkspaceConfig {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: { name, environment: "node", include },
  };
}
