import { describe, expect, it } from "vitest";
import { type EndpointsFile, parseEndpointsFile } from "./endpoints-file.ts";

const parse = (text: string): Promise<EndpointsFile> =>
  parseEndpointsFile(new TextEncoder().encode(text), { file: "e.yaml" });

/** One entry on line 2, with the given text in place of a good field. */
const entry = (fields: Record<string, string>): Promise<EndpointsFile> => {
  const all = { name: "a", address: "10.0.0.1", port: "8000", ...fields };
  const text = Object.entries(all).map(([key, value]) => (value === "-" ? "" : `${key}: ${value}`));
  return parse(`endpoints:\n- {${text.filter(Boolean).join(", ")}}\n`);
};

describe("an entry", () => {
  it.each([
    ["name missing", { name: "-" }, "", "name is missing"],
    ["name null", { name: "~" }, ".name", "name is missing"],
    ["name a number", { name: "1.10" }, ".name", 'not number 1.1; quote it: "1.10"'],
    ["name with a slash", { name: "a/b" }, ".name", 'name "a/b"'],
    ["name too long", { name: "a".repeat(254) }, ".name", "1 to 253 characters"],
    ["namespace empty", { namespace: '""' }, ".namespace", "1 to 253 characters"],
    ["address missing", { address: "-" }, "", "address is missing"],
    ["address a question mark", { address: '"?"' }, ".address", 'address "?"'],
    ["address no IPv4", { address: "10.0.0" }, ".address", 'address "10.0.0"'],
    ["address with a port", { address: "h:80" }, ".address", 'address "h:80"'],
    ["address in brackets", { address: '"[::1]"' }, ".address", "no brackets"],
    ["address a list", { address: "[a]" }, ".address", "not a list"],
    ["port missing", { port: "-" }, "", "port is missing"],
    ["port 0", { port: "0" }, ".port", "port 0 must be a port"],
    ["port too large", { port: "65536" }, ".port", "65536"],
    ["port broken", { port: "80.5" }, ".port", "80.5"],
    ["port a boolean", { port: "true" }, ".port", "must be a string or number"],
    ["port a word", { port: "http" }, ".port", '"http"'],
    ["labels a list", { labels: "[a]" }, ".labels", "must be a map"],
    ["label a number", { labels: "{a: 1.10}" }, ".labels.a", 'quote it: "1.10"'],
    ["label a map", { labels: "{a: {}}" }, ".labels.a", "not a map"],
    ["metrics a text", { metrics: "off" }, ".metrics", "must be a map"],
    ["metrics.scheme", { metrics: "{scheme: ftp}" }, ".metrics.scheme", '"http" or "https"'],
    ["metrics.path", { metrics: "{path: metrics}" }, ".metrics.path", "must start with /"],
    ["metrics.port", { metrics: "{port: -1}" }, ".metrics.port", "-1"],
    ["metrics.address", { metrics: "{address: a b}" }, ".metrics.address", '"a b"'],
    ["metrics.enabled", { metrics: "{enabled: 'no'}" }, ".metrics.enabled", "must be a boolean"],
    ["a key twice", { "port ": "1" }, ".port", "given twice, first on line 2"],
    ["a list as key", { "[x]": "1" }, "", "a key must be text"],
    ["a text merged", { "<<": "x" }, ".<<", "only a map"],
  ])("is skipped and reported: %s", async (_, fields, path, message) => {
    const { endpoints, problems } = await entry(fields);
    expect(endpoints.size).toBe(0);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      code: "DISCOVERY_ENTRY",
      path: expect.stringMatching(/^e\.yaml:2:\d+: endpoints\[0\]/),
      message: expect.stringContaining(message),
    });
    expect(problems[0]?.path?.endsWith(`endpoints[0]${path}`)).toBe(true);
  });

  it.each([
    ["a text", "foo"],
    ["a number", "1"],
    ["a list", "[]"],
    ["nothing", ""],
  ])("that is %s is skipped", async (_, text) => {
    const file = await parse(`endpoints:\n- ${text}\n- {name: a, address: h, port: 1}\n`);
    expect([...file.endpoints.keys()]).toEqual(["default/a"]);
    expect(file.unnamed).toBe(1);
    expect(file.problems).toHaveLength(1);
  });

  it("has all its problems reported at once, each with its place", async () => {
    const { problems, invalid } = await parse(`endpoints:
- name: a
  adress: 10.0.0.1
  port: 99999
  metrics:
    scheme: ftp
    path: m
`);
    expect(problems.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      "DISCOVERY_ENTRY e.yaml:2:3: endpoints[0]",
      "DISCOVERY_ENTRY e.yaml:4:9: endpoints[0].port",
      "DISCOVERY_ENTRY e.yaml:6:13: endpoints[0].metrics.scheme",
      "DISCOVERY_ENTRY e.yaml:7:11: endpoints[0].metrics.path",
      "DISCOVERY_WARNING e.yaml:3:3: endpoints[0].adress",
    ]);
    expect([...invalid]).toEqual(["default/a"]);
  });

  it("is used though it has a key nobody knows, which is reported with a suggestion", async () => {
    const { endpoints, problems } = await entry({ nmaespace: "x", metrics: "{schema: http}" });
    expect([...endpoints.keys()]).toEqual(["default/a"]);
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "DISCOVERY_WARNING unknown key, ignored; did you mean namespace?",
      "DISCOVERY_WARNING unknown key, ignored; did you mean scheme?",
    ]);
  });

  it.each([
    ["named a", { address: "x y" }, ["default/a"], 0],
    ["in a namespace", { namespace: "n", port: "x" }, ["n/a"], 0],
    ["without a name", { name: "-" }, [], 1],
    ["with a bad namespace", { namespace: "a/b" }, [], 1],
  ])("that is skipped is known by its id where it has one: %s", async (_, fields, ids, unnamed) => {
    const file = await entry(fields);
    expect([[...file.invalid], file.unnamed]).toEqual([ids, unnamed]);
  });

  it("given twice: the last wins, both lines are reported", async () => {
    const { endpoints, problems } = await parse(`endpoints:
- {name: a, address: h1, port: 1}
- {name: a, namespace: other, address: h2, port: 1}
- {name: a, namespace: default, address: h3, port: 1}
`);
    expect([...endpoints.values()].map(({ address }) => address).sort()).toEqual(["h2", "h3"]);
    expect(problems.map(({ code, path, message }) => [code, path, message])).toEqual([
      [
        "DISCOVERY_ENTRY",
        "e.yaml:2:3: endpoints[0]",
        "default/a is given twice, on lines 2 and 4; the last one is used",
      ],
    ]);
  });
});
