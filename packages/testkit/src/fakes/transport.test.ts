import { describe, expect, it } from "vitest";
import { createFakeTransport, type FakeRequest } from "./transport.ts";

const request = (signal = new AbortController().signal): FakeRequest => ({
  target: { scheme: "http", address: "192.0.2.1", port: "8000", path: "/metrics" },
  headers: {},
  timeout: 1000,
  maxBodyBytes: 1024,
  signal,
});

describe("createFakeTransport", () => {
  it("answers with text, or with whatever differs from a good page", async () => {
    const answers = ["up 1\n", { status: 503, body: "no" }, { contentType: undefined }];
    const transport = createFakeTransport(() => answers.shift() ?? "");
    const page = await transport.request(request());
    expect(page).toMatchObject({ status: 200, contentType: expect.stringContaining("text/plain") });
    expect(new TextDecoder().decode(page.body)).toBe("up 1\n");
    expect((await transport.request(request())).status).toBe(503);
    expect((await transport.request(request())).contentType).toBeUndefined();
    expect(transport.requests.map(({ target }) => target.path)).toEqual(Array(3).fill("/metrics"));
  });

  it("rejects with what the answering function throws", async () => {
    const transport = createFakeTransport(() => {
      throw new Error("refused");
    });
    await expect(transport.request(request())).rejects.toThrow("refused");
  });

  it("hangs until the abort", async () => {
    const transport = createFakeTransport(() => new Promise(() => undefined));
    const controller = new AbortController();
    const running = transport.request(request(controller.signal));
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "SCRAPE_ABORTED" });
    await expect(transport.request(request(AbortSignal.abort()))).rejects.toMatchObject({
      code: "SCRAPE_ABORTED",
    });
  });

  it("remembers that it was closed", () => {
    const transport = createFakeTransport(() => "");
    expect(transport.closed).toBe(false);
    transport.close();
    expect(transport.closed).toBe(true);
  });
});
