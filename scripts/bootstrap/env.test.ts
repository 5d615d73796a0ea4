import { expect, it } from "vitest";
import { childEnv } from "./env.mjs";

it("drops npm's own configuration and keeps where packages come from", () => {
  const env = childEnv({
    PATH: "/bin",
    npm_config_local_prefix: "/somewhere",
    npm_config_globalconfig: "/etc/npmrc",
    npm_config_registry: "https://registry.example",
    NPM_CONFIG_HTTPS_PROXY: "http://proxy.example",
  });
  expect(env).toEqual({
    PATH: "/bin",
    npm_config_registry: "https://registry.example",
    NPM_CONFIG_HTTPS_PROXY: "http://proxy.example",
    TURBO_TELEMETRY_DISABLED: "1",
    DO_NOT_TRACK: "1",
  });
});
