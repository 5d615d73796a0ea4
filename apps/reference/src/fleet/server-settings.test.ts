import { describe, expect, it } from "vitest";
import { resolveServer } from "./server-settings.ts";

const config = { host: "127.0.0.1", port: 7700, openMetrics: false };

describe("resolveServer", () => {
  it("prefers flags to the configuration", () => {
    const settings = resolveServer({ flags: { port: 9 }, config, env: {} });
    expect(settings).toMatchObject({ host: "127.0.0.1", port: 9, token: undefined });
  });

  it("takes the token of the configuration before the environment's", () => {
    const env = { MUSTER_TOKEN: "env" };
    expect(resolveServer({ flags: {}, config, env }).token).toBe("env");
    const withToken = { ...config, token: "config" };
    expect(resolveServer({ flags: {}, config: withToken, env }).token).toBe("config");
  });

  it.each(["0.0.0.0", "::", "muster.example"])(
    "refuses to listen on %s without a token",
    (host) => {
      expect(() => resolveServer({ flags: { host }, config, env: {} })).toThrow(/needs a token/);
      const env = { MUSTER_TOKEN: "secret" };
      expect(resolveServer({ flags: { host }, config, env }).host).toBe(host);
    },
  );

  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("needs none on %s", (host) => {
    expect(resolveServer({ flags: { host }, config, env: {} }).token).toBeUndefined();
  });
});
