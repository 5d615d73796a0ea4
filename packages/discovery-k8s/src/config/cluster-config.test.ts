import { describe, expect, it } from "vitest";
import { clusterSchema } from "./cluster-config.ts";

const problemsOf = (config: object): string[] => {
  const { error } = clusterSchema.safeParse(config);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
};

describe("what is wrong with a cluster is said when it is configured, not when it is used", () => {
  it.each<[string, object, string[]]>([
    ["another protocol", { server: "ftp://x" }, ["server: must be http:// or https://"]],
    ["a password", { server: "https://me:pw@x" }, ["server: holds more than an address"]],
    ["a query", { server: "https://x?y" }, ["server: holds more than an address"]],
    ["no URL", { server: "x y" }, ["server: Invalid URL"]],
    ["a file without a server", { caPath: "/ca" }, [": `caPath` needs `server`"]],
    [
      "half a client certificate",
      { server: "https://x", certPath: "/cert" },
      [": `certPath` and `keyPath` belong together"],
    ],
    ["nothing", {}, []],
    ["a server with a path", { server: "https://x/k8s/clusters/c-1" }, []],
  ])("%s", (_, config, problems) => {
    expect(problemsOf(config)).toEqual(problems);
  });
});
