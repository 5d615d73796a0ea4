import { defineConfig, type Options } from "tsup";

type Config = ReturnType<typeof defineConfig>;

/** How every package is built: ESM for Node 20, with declarations and source maps. */
export function preset(options: Options & { entry: string[] }): Config {
  return defineConfig({
    format: ["esm"],
    platform: "node",
    target: "node20",
    dts: true,
    sourcemap: true,
    clean: true,
    splitting: true,
    removeNodeProtocol: false,
    ...options,
  });
}
