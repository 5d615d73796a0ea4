import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { attributeKey } from "../attribute-map.ts";
import { createEndpoint, type EndpointWriter, type ModelServer } from "../endpoint.ts";
import { createEndpointMetadata } from "../endpoint-metadata.ts";
import { MusterError } from "../errors.ts";
import type { PollingExtractor } from "../extractor.ts";
import { typedName } from "../names.ts";
import { payloadToken } from "../payload.ts";
import type { PollingSource } from "../source.ts";
import { createPollingDispatcher, type PollingDispatcherInit } from "./polling-dispatcher.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const page = payloadToken<string>("page");
const queue = attributeKey<string>("queue");

function source(changes: Partial<PollingDispatcherInit<string>> = {}): PollingSource<string> {
  return createPollingDispatcher({
    typedName: typedName("page-source"),
    payload: page,
    poll: async () => "up",
    ...changes,
  });
}

function extractor(
  name: string,
  extract: PollingExtractor<string>["extract"] = () => undefined,
  changes: Partial<PollingExtractor<string>> = {},
): PollingExtractor<string> {
  return {
    typedName: typedName("test", name),
    variant: "polling",
    payload: page,
    extract,
    ...changes,
  };
}

function server(name = "a"): ModelServer {
  return createEndpoint(createEndpointMetadata({ name, address: "10.0.0.1", port: 80 }));
}

const never = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });

describe("section 3: polling", () => {
  it("dispatch polls, then runs every extractor in append order", async () => {
    const ran: string[] = [];
    const polling = source({
      poll: async () => {
        ran.push("poll");
        return "up";
      },
    });
    for (const name of ["b", "a", "c"])
      polling.appendExtractor(
        extractor(name, ({ payload }) => void ran.push(`${name} ${payload}`)),
      );
    const result = await polling.dispatch(server(), never());
    expect(ran).toEqual(["poll", "b up", "a up", "c up"]);
    expect(result.extracted.map((entry) => entry.name)).toEqual(["b", "a", "c"]);
    expect(result.failed).toEqual([]);
  });

  it("each extract runs under its own time-out of 1 s; one slow extractor never starves the next", async () => {
    const polling = source();
    const late: EndpointWriter[] = [];
    const slow: PollingExtractor<string>["extract"] = ({ endpoint }) => {
      late.push(endpoint);
      return new Promise(() => undefined);
    };
    polling.appendExtractor(extractor("slow", slow));
    polling.appendExtractor(extractor("slow too", slow));
    polling.appendExtractor(extractor("next"));
    const endpoint = server();
    const running = polling.dispatch(endpoint, never());
    await vi.advanceTimersByTimeAsync(999);
    expect(late.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1001);
    const { extracted, failed } = await running;
    expect(failed.map(({ code, extractor: { name } }) => [name, code])).toEqual([
      ["slow", "EXTRACT_TIMEOUT"],
      ["slow too", "EXTRACT_TIMEOUT"],
    ]);
    expect(extracted.map((entry) => entry.name)).toEqual(["next"]);
    for (const handle of late)
      expect(() => handle.attributes.put(queue, "late")).toThrow(
        expect.objectContaining({ code: "HANDLE_DEAD" }),
      );
    expect(endpoint.attributes.keys()).toEqual([]);
  });

  it("an extractor that was cut short gets a live handle at the next poll", async () => {
    let slow = true;
    const polling = source();
    polling.appendExtractor(
      extractor("sometimes slow", ({ endpoint }) => {
        if (slow) return new Promise(() => undefined);
        return endpoint.attributes.put(queue, "written");
      }),
    );
    const endpoint = server();
    const first = polling.dispatch(endpoint, never());
    await vi.advanceTimersByTimeAsync(1000);
    await first;
    slow = false;
    expect((await polling.dispatch(endpoint, never())).failed).toEqual([]);
    expect(endpoint.attributes.get(queue)).toBe("written");
  });

  it("a failed poll is the dispatch's error; no extractor runs", async () => {
    const error = new MusterError("SCRAPE_STATUS", "500");
    const polling = source({ poll: () => Promise.reject(error) });
    const extract = vi.fn();
    polling.appendExtractor(extractor("a", extract));
    await expect(polling.dispatch(server(), never())).rejects.toBe(error);
    expect(extract).not.toHaveBeenCalled();
  });

  it("a failed or throwing extractor never surfaces, nor stops its siblings", async () => {
    const polling = source();
    const failing: [string, PollingExtractor<string>["extract"]][] = [
      [
        "throws",
        () => {
          throw new MusterError("EXTRACT_NO_ENGINE", "what is this?");
        },
      ],
      ["rejects", () => Promise.reject(new TypeError("oops"))],
      [
        "throws nothing",
        () => {
          throw undefined;
        },
      ],
    ];
    for (const [name, extract] of failing) polling.appendExtractor(extractor(name, extract));
    polling.appendExtractor(extractor("sibling"));
    const { extracted, failed } = await polling.dispatch(server(), never());
    expect(failed.map(({ code, message }) => [code, message])).toEqual([
      ["EXTRACT_NO_ENGINE", "test/throws: what is this?"],
      ["EXTRACT_FAILED", "test/rejects: oops"],
      ["EXTRACT_FAILED", "test/throws nothing: undefined"],
    ]);
    expect(extracted.map((entry) => entry.name)).toEqual(["sibling"]);
  });

  it("appendExtractor rejects an extractor whose payload type is not the source's", () => {
    const polling = source();
    const wrong = [
      extractor("a", undefined, { payload: payloadToken("other") }),
      extractor("b", undefined, { variant: "endpoint" as never, payload: undefined as never }),
    ];
    for (const bad of wrong)
      expect(() => polling.appendExtractor(bad)).toThrow(
        expect.objectContaining({ code: "EXTRACTOR_INCOMPATIBLE", plugin: bad.typedName }),
      );
    expect(() => polling.appendExtractor(wrong[0] as never)).toThrow(
      "extractor test/a takes other, source page-source/page-source gives page",
    );
    expect(polling.extractors).toEqual([]);
  });

  it("appendExtractor is a pure append: duplicate detection is the caller's", () => {
    const onAppend = vi.fn();
    const polling = source({ onAppend });
    const same = extractor("same");
    polling.appendExtractor(same);
    polling.appendExtractor(same);
    expect(polling.extractors).toEqual([same, same]);
    expect(onAppend).toHaveBeenCalledTimes(2);
  });

  it("an extractor may only write the attributes it declares", async () => {
    const polling = source();
    const write: PollingExtractor<string>["extract"] = ({ endpoint }) =>
      endpoint.attributes.put(queue, "x");
    polling.appendExtractor(extractor("declared", write, { produces: [queue] }));
    polling.appendExtractor(extractor("undeclared", write, { produces: [] }));
    const { failed } = await polling.dispatch(server(), never());
    expect(failed.map(({ code, extractor: { name } }) => [name, code])).toEqual([
      ["undeclared", "ATTRIBUTE_UNDECLARED"],
    ]);
  });
});

describe("dispatch", () => {
  it("cuts a running extractor short at the abort and starts no other", async () => {
    const polling = source();
    const after = vi.fn();
    let seen: AbortSignal | undefined;
    polling.appendExtractor(
      extractor("waits", (_input, { signal }) => {
        seen = signal;
        return new Promise(() => undefined);
      }),
    );
    polling.appendExtractor(extractor("after", after));
    const controller = new AbortController();
    const running = polling.dispatch(server(), { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    const { failed } = await running;
    expect(failed.map(({ code }) => code)).toEqual(["EXTRACT_FAILED", "EXTRACT_FAILED"]);
    expect(seen?.aborted).toBe(true);
    expect(after).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps one handle per endpoint and extractor from poll to poll", async () => {
    const polling = source();
    const handles: EndpointWriter[] = [];
    polling.appendExtractor(extractor("a", ({ endpoint }) => void handles.push(endpoint)));
    const [one, two] = [server("one"), server("two")];
    for (const endpoint of [one, two, one]) await polling.dispatch(endpoint, never());
    expect(handles[2]).toBe(handles[0]);
    expect(handles.map(({ id }) => id)).toEqual(["default/one", "default/two", "default/one"]);
  });

  it("releases all extractors even when one fails, and says which", () => {
    const released: string[] = [];
    const polling = source({ release: () => released.push("source") });
    const fail = (): never => {
      throw new TypeError("no state");
    };
    polling.appendExtractor(extractor("bad", undefined, { release: fail }));
    polling.appendExtractor(extractor("good", undefined, { release: () => released.push("good") }));
    expect(() => polling.release?.("default/a")).toThrow(
      expect.objectContaining({ code: "EXTRACT_FAILED", plugin: typedName("test", "bad") }),
    );
    expect(released).toEqual(["good", "source"]);
  });

  it("passes release and stop on", async () => {
    const released: string[] = [];
    const stop = vi.fn();
    const polling = source({ release: (id) => released.push(`source ${id}`), stop });
    polling.appendExtractor(
      extractor("a", undefined, { release: (id) => released.push(`a ${id}`) }),
    );
    polling.appendExtractor(extractor("b"));
    polling.release?.("default/a");
    expect(released).toEqual(["a default/a", "source default/a"]);
    await polling.stop?.();
    expect(stop).toHaveBeenCalledOnce();
    await source().stop?.();
  });
});
