import { describe, expect, it } from "vitest";
import { transportOf } from "./transport.ts";

const place = { endpoint: "generate", instanceId: 0x694d8a1b2c3d4e5fn };

describe("transportOf", () => {
  it.each([
    [{ tcp: "10.0.0.5:41234" }, { tcp: "10.0.0.5:41234/694d8a1b2c3d4e5f/generate" }],
    [{ tcp: "[::1]:1" }, { tcp: "[::1]:1/694d8a1b2c3d4e5f/generate" }],
    [{ tcp: "h:1/2a/other" }, { tcp: "h:1/2a/other" }],
    [{ http: "http://10.0.0.7:8000" }, { http: "http://10.0.0.7:8000/v1/rpc/generate" }],
    [{ http: "http://[::1]:8000/" }, { http: "http://[::1]:8000/v1/rpc/generate" }],
    [{ http: "http://h:8000/v1/rpc/other" }, { http: "http://h:8000/v1/rpc/other" }],
    [{ natsSubject: "ns.backend.generate" }, { nats_tcp: "ns.backend.generate" }],
    [{ transport: '{"tcp":"h:1/2a/e"}' }, { tcp: "h:1/2a/e" }],
  ])("makes %j the original's form", (flags, transport) => {
    expect(transportOf(flags)(place)).toEqual(transport);
  });

  it.each([
    [{}, "USAGE", /one of --http/],
    [{ tcp: "h:1", http: "http://h" }, "USAGE", /one of --http/],
    [{ tcp: "h" }, "USAGE", /host:port/],
    [{ tcp: "h:99999" }, "USAGE", /host:port/],
    [{ tcp: "::1:80" }, "USAGE", /brackets/],
    [{ http: "h:8000" }, "USAGE", /http:/],
    [{ http: "http://u:p@h:8000" }, "USAGE", /without user/],
    [{ http: "http://h:8000/a b" }, "USAGE", /white space/],
    [{ tcp: "h:1/a\nb" }, "USAGE", /host:port/],
    [{ transport: "{tcp" }, "USAGE", /--transport: not JSON/],
    [{ transport: '{"tcp":5}' }, "USAGE", /--transport: .*with text/],
  ])("refuses %j", (flags, code, message) => {
    expect(() => transportOf(flags)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
