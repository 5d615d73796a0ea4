import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../clock.ts";
import { createEndpoint } from "../endpoint.ts";
import { createEndpointMetadata } from "../endpoint-metadata.ts";
import type { EndpointExtractor, ExtractOptions } from "../extractor.ts";
import { typedName } from "../names.ts";
import { type RunExtractorOptions, runExtractor } from "./run-extractor.ts";
import { createWriteHandle } from "./write-handle.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Extract = EndpointExtractor["extract"];

function run(extract: Extract, signal = new AbortController().signal) {
  const endpoint = createEndpoint(createEndpointMetadata({ name: "a", address: "::1", port: 80 }));
  const handle = createWriteHandle(endpoint);
  const options: RunExtractorOptions<Parameters<Extract>[0]> = {
    handle,
    input: (writer) => ({ type: "AddOrUpdate", endpoint: writer }),
    signal,
    clock: systemClock,
    timeout: 50,
  };
  const extractor: EndpointExtractor = {
    typedName: typedName("test"),
    variant: "endpoint",
    extract,
  };
  return { handle, outcome: runExtractor(extractor, options) };
}

describe("runExtractor", () => {
  it("runs a synchronous extractor without promise, timer or signal", () => {
    const listen = vi.spyOn(AbortSignal.prototype, "addEventListener");
    expect(run(() => undefined).outcome).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    expect(listen).not.toHaveBeenCalled();
    listen.mockRestore();
  });

  it("waits for an asynchronous one and leaves nothing behind", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const { outcome, handle } = run(async (_event, options) => void options.signal, signal);
    expect(await outcome).toBeUndefined();
    expect(handle.revoked).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it("aborts the extractor's signal and revokes its handle at the time-out", async () => {
    let seen: AbortSignal | undefined;
    const { outcome, handle } = run((_event, { signal }) => {
      seen = signal;
      return new Promise(() => undefined);
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(await outcome).toMatchObject({
      code: "EXTRACT_TIMEOUT",
      message: "test/test: no result after 50 ms",
    });
    expect(handle.revoked).toBe(true);
    expect(seen?.reason).toMatchObject({ code: "EXTRACT_TIMEOUT" });
  });

  it("is cut short when the signal aborts while the extractor starts", async () => {
    const controller = new AbortController();
    const { outcome, handle } = run(() => {
      controller.abort();
      return new Promise(() => undefined);
    }, controller.signal);
    expect(await outcome).toMatchObject({ code: "EXTRACT_FAILED" });
    expect(handle.revoked).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not care what a late extractor ends with", async () => {
    let reject: (error: Error) => void = () => undefined;
    const { outcome } = run(
      () =>
        new Promise((_resolve, fail) => {
          reject = fail;
        }),
    );
    await vi.advanceTimersByTimeAsync(50);
    reject(new Error("late"));
    expect(await outcome).toMatchObject({ code: "EXTRACT_TIMEOUT" });
  });

  it("holds thenables that break their contract to it", async () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const broken = (then: PropertyDescriptor): Promise<void> =>
      // biome-ignore lint/suspicious/noThenProperty: this is what is tested
      Object.defineProperty({}, "then", then) as Promise<void>;
    const results = [{ get: boom }, { value: boom }].map((then) => run(() => broken(then)).outcome);
    for (const result of results)
      expect(await result).toMatchObject({ code: "EXTRACT_FAILED", message: "test/test: boom" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts nothing after the abort", () => {
    const extract = vi.fn();
    expect(run(extract, AbortSignal.abort()).outcome).toMatchObject({ code: "EXTRACT_FAILED" });
    expect(extract).not.toHaveBeenCalled();
  });

  it("hands out a signal that follows the source's while the extractor runs", async () => {
    const controller = new AbortController();
    let options: ExtractOptions | undefined;
    const { outcome } = run((_event, given) => {
      options = given;
      return new Promise(() => undefined);
    }, controller.signal);
    controller.abort("gone");
    expect(options?.signal.aborted).toBe(true);
    expect(options?.signal).toBe(options?.signal);
    expect(await outcome).toMatchObject({ code: "EXTRACT_FAILED" });
  });
});
