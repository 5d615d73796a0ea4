import { describe, expect, it } from "vitest";
import { parseTarget } from "./target.ts";

describe("parseTarget", () => {
  it.each([
    ["http://127.0.0.1:8000/metrics", "127.0.0.1:8000", "http", "/metrics"],
    [
      "https://m.example/prometheus/metrics?x=1",
      "m.example:443",
      "https",
      "/prometheus/metrics?x=1",
    ],
    ["http://[::1]:9/m", "[::1]:9", "http", "/m"],
    ["http://localhost:8000", "localhost:8000", "http", undefined],
  ])("reads %s", (text, metricsHost, scheme, path) => {
    const target = parseTarget(text, {});
    expect(target).toMatchObject({
      kind: "url",
      metadata: { metricsHost, metrics: { scheme, path } },
    });
  });

  it("takes anything else as a file", () => {
    expect(parseTarget("./http/page.prom", {})).toEqual({ kind: "file", file: "./http/page.prom" });
  });

  it("refuses credentials and nonsense", () => {
    expect(() => parseTarget("http://u:p@host/metrics", {})).toThrow(/bearer-token-file/);
    expect(() => parseTarget("http://", {})).toThrow(/not a URL/);
  });
});
