import type { TransportType } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { servingAddress } from "./serving-address.ts";

const id = "694d8a1b2c3d4e5f";

describe("the serving address of a transport", () => {
  it.each<[TransportType, string, string]>([
    [{ tcp: `10.0.0.5:41234/${id}/generate` }, "10.0.0.5", "41234"],
    [{ tcp: `[2001:db8::1]:41234/${id}/generate` }, "2001:db8::1", "41234"],
    [{ tcp: `worker-0.workers.svc:41234/${id}/generate` }, "worker-0.workers.svc", "41234"],
    [{ tcp: "10.0.0.5:41234" }, "10.0.0.5", "41234"],
    [{ http: "http://10.0.0.5:8000/v1/rpc/generate" }, "10.0.0.5", "8000"],
    [{ http: "https://[::1]:8000/v1/rpc/generate" }, "::1", "8000"],
    [{ http: "HTTP://worker:1" }, "worker", "1"],
    [{ http: "HTTP://10.0.0.5/v1/rpc/generate" }, "10.0.0.5", "80"],
    [{ http: "https://[::1]" }, "::1", "443"],
  ])("of %j", (transport, host, port) => {
    expect(servingAddress(transport)).toEqual({ host, port });
  });

  it("of NATS there is none", () => {
    expect(servingAddress({ nats_tcp: "dynamo.backend.generate-1f" })).toBeUndefined();
  });

  it.each<TransportType>([
    { tcp: "" },
    { tcp: `10.0.0.5/${id}/generate` },
    { tcp: `2001:db8::1:41234/${id}/generate` },
    { tcp: `[10.0.0.5]:41234/${id}/generate` },
    { tcp: `[fe80::1%eth0]:41234/${id}/generate` },
    { tcp: `10.0.0.5:0/${id}/generate` },
    { tcp: `10.0.0.5:65536/${id}/generate` },
    { tcp: `10.0.0.5:+80/${id}/generate` },
    { tcp: `user@10.0.0.5:80/${id}/generate` },
    { tcp: `a b:80/${id}/generate` },
    { tcp: "http://10.0.0.5:80/generate" },
    { http: "10.0.0.5:8000/v1/rpc/generate" },
    { http: "ftp://10.0.0.5:8000/" },
    { http: "http:///v1/rpc/generate" },
    { http: "http://10.0.0.5:/v1/rpc/generate" },
    { http: "http://user:secret@10.0.0.5:8000/" },
    { http: "http://good:80@evil:80/" },
    { http: "http://10.0.0.5:80\n.evil:81/" },
    { http: "http://0x7f000001:80/" },
  ])("refuses %j", (transport) => {
    expect(() => servingAddress(transport)).toThrow(
      expect.objectContaining({ code: "DISCOVERY_ENTRY" }),
    );
  });
});
