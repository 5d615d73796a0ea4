import process from "node:process";
import { defineConfig, type Options } from "tsup";

type Config = ReturnType<typeof defineConfig>;

/** How every package is built: ESM for Node 20, with declarations and source maps. */
export function preset(options: Options & { entry: string[] }): Config {
  return defineConfig({
    format: ["esm"],
    platform: "node",
    target: "node20",
    // set by scripts/bootstrap for builds that are only run
    dts: process.env.MUSTER_DECLARATIONS !== "off",
    sourcemap: true,
    clean: true,
    splitting: true,
    removeNodeProtocol: false,
    ...options,
  });
}
