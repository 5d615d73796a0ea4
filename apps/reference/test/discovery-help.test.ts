import { describe, expect, it } from "vitest";
import { never, runCli } from "./run-cli.ts";

describe("muster discovery", () => {
  it.each(["list", "watch", "register", "unregister"])(
    "%s has help with examples and exit codes",
    async (command) => {
      const { code, out } = await runCli(["discovery", command, "--help"]);
      expect(code).toBe(0);
      expect(out).toContain(`muster discovery ${command} --store`);
      expect(out).toContain("Exit codes:");
      expect(out).toContain("ETCD_AUTH_PASSWORD");
      expect(out.match(/default:[^)]*\)\s+\(default/)).toBeNull();
      for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(120);
    },
  );

  it.each([
    [["discovery", "lst"], /Did you mean list\?/],
    [["discovery", "list", "--stor", "x"], /Did you mean --store\?/],
    [["discovery", "list", "--kind", "model"], /Allowed choices are endpoints, models/],
    [["discovery", "list"], /nothing says which store: give --store .*\[USAGE\]/],
    [["discovery", "list", "--store", "etc://h"], /write file:\/\/\/dir, etcd.*\[STORE_URL\]/],
    [["discovery", "unregister", "--store", "file:///d"], /what is to be removed/],
    [
      ["discovery", "unregister", "--store", "file:///d", "a/b"],
      /begins with none of v1\/instances/,
    ],
    [
      ["discovery", "unregister", "--store", "file:///d", "--instance-id", "0x1"],
      /hexadecimal digits/,
    ],
    [["discovery", "list", "--store", "file:///d", "--json", "--keys"], /cannot be used with/],
    [["discovery", "register", "--store", "file:///d"], /how is it reached/],
    [
      ["discovery", "register", "--store", "file:///d", "--http", "http://h", "--namespace", "a/b"],
      /must not contain '\/'.*\[PLANE_NAME\]/,
    ],
    [["discovery", "register", "--store", "file:///d", "--nats-subject", ""], /it is empty/],
    [
      ["discovery", "register", "--store", "file:///d", "--http", "http://h", "--model", " "],
      /empty/,
    ],
    [["run", "--store", "kubernetes://serving"], /only `muster discovery list` and `watch`/],
    [
      ["discovery", "register", "--store", "file:///d", "--http", "http://h:1"],
      /in which namespace/,
    ],
  ])("explains what is wrong with %j", async (args, message) => {
    const { code, err } = await runCli(args);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  it("takes the store and the namespace from the environment, and says so", async () => {
    const env = { DYN_DISCOVERY_BACKEND: "mem", DYN_NAMESPACE: "dynamo" };
    const { code, err } = await runCli(["discovery", "list"], never, env);
    expect(err).toMatch(/DYN_DISCOVERY_BACKEND=mem: .*use etcd, file or nats/);
    expect(code).toBe(2);
  });
});
