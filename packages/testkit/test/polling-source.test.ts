import {
  createEndpoint,
  createEndpointMetadata,
  delay,
  MusterError,
  type PollingSource,
  payloadToken,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import { createFakeClock, describePollingSource, type PollingSourceHarness } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";

interface Page {
  readonly text: string;
}
type Source = PollingSource<Page>;
type Mode = "ok" | "fail" | "hang";

const page = payloadToken<Page>("testkit/page");

/** A source over a world of one answer; `change` may break it. */
function harnessOf(
  change: (source: Source) => Source = (source) => source,
): PollingSourceHarness<Page> {
  return {
    patience: 200,
    make: () => {
      const clock = createFakeClock();
      let mode: Mode = "ok";
      const source = createPollingDispatcher<Page>({
        typedName: typedName("page-source"),
        payload: page,
        clock,
        async poll(_endpoint, { signal }) {
          if (mode === "hang") await delay(clock, 1000, signal);
          if (mode !== "ok") throw new MusterError("SCRAPE_TIMEOUT", "no answer");
          return { text: "up" };
        },
      });
      return {
        source: change(source),
        clock,
        endpoint: createEndpoint(
          createEndpointMetadata({ name: "a", address: "192.0.2.1", port: 8000 }),
        ),
        fail: () => {
          mode = "fail";
        },
        recover: () => {
          mode = "ok";
        },
        hang: () => {
          mode = "hang";
        },
      };
    },
  };
}

describe("core's polling dispatcher", () => {
  describePollingSource({ describe, it }, harnessOf());
});

/** The source with some members replaced; all others are passed on. */
function overriding(source: Source, members: Partial<Source>): Source {
  return Object.create(
    {},
    {
      ...Object.fromEntries(
        ["variant", "typedName", "payload", "extractors"].map((name) => [
          name,
          { get: () => Reflect.get(source, name, source) },
        ]),
      ),
      appendExtractor: { value: source.appendExtractor.bind(source), writable: true },
      dispatch: { value: source.dispatch.bind(source), writable: true },
      release: { value: source.release?.bind(source), writable: true },
      ...Object.getOwnPropertyDescriptors(members),
    },
  );
}

const cases: [what: string, change: (source: Source) => Source, test: string][] = [
  [
    "names no payload",
    (source) => overriding(source, { payload: payloadToken("") }),
    "is of the polling variant and names its payload",
  ],
  [
    "refuses a second extractor of a type",
    (source) =>
      overriding(source, {
        appendExtractor(extractor) {
          if (source.extractors.length === 0) source.appendExtractor(extractor);
        },
      }),
    "only appends: detecting duplicates is the caller's",
  ],
  [
    "takes any extractor",
    (source) =>
      overriding(source, {
        appendExtractor: (extractor) =>
          source.appendExtractor({ ...extractor, variant: "polling", payload: page }),
      }),
    "refuses an extractor of another payload or variant",
  ],
  [
    "compares tokens by identity",
    (source) =>
      overriding(source, {
        appendExtractor(extractor) {
          if (extractor.payload !== page) throw new MusterError("EXTRACTOR_INCOMPATIBLE", "no");
          source.appendExtractor(extractor);
        },
      }),
    "compares payload tokens by name",
  ],
  [
    "swallows failed polls",
    (source) =>
      overriding(source, {
        dispatch: (...args) =>
          source.dispatch(...args).catch(() => ({ extracted: [], failed: [] })),
      }),
    "rejects when the poll failed, runs no extractor, and recovers",
  ],
  [
    "fails without a code",
    (source) =>
      overriding(source, {
        dispatch: (...args) => source.dispatch(...args).catch(() => Promise.reject(new Error("x"))),
      }),
    "times out a poll that hangs",
  ],
  [
    "does not listen to the signal",
    (source) =>
      overriding(source, {
        dispatch: (endpoint) => source.dispatch(endpoint, new AbortController()),
      }),
    "ends a poll that hangs when the signal aborts",
  ],
  [
    "forgets to release",
    (source) => overriding(source, { release: () => undefined }),
    "tells every extractor when an endpoint is released",
  ],
  [
    "lets a failing extractor surface",
    (source) => overriding(source, { dispatch: naiveDispatch(source) }),
    "lets no failing extractor surface or stop its siblings",
  ],
  [
    "waits for a slow extractor for ever",
    (source) => overriding(source, { dispatch: naiveDispatch(source) }),
    "cuts a slow extractor short, runs the next and takes no late writes",
  ],
  [
    "runs extractors in another order",
    (source) => overriding(source, { dispatch: naiveDispatch(source, "reversed") }),
    "runs extractors in append order, each with payload and endpoint",
  ],
  [
    "mixes up endpoints",
    (source) => {
      let last: Parameters<Source["dispatch"]>[0] | undefined;
      return overriding(source, {
        dispatch(endpoint, options) {
          last ??= endpoint;
          return source.dispatch(last, options);
        },
      });
    },
    "keeps two endpoints polled at once apart",
  ],
  [
    "cannot be stopped twice",
    (source) => {
      let stopped = false;
      return overriding(source, {
        async stop() {
          if (stopped) throw new Error("stopped already");
          stopped = true;
        },
      });
    },
    "can be stopped twice",
  ],
];

/** Runs extractors without any of the care the contract asks for. */
function naiveDispatch(source: Source, order?: "reversed"): Source["dispatch"] {
  return async (endpoint, options) => {
    const extractors = [...source.extractors];
    if (order === "reversed") extractors.reverse();
    for (const extractor of extractors)
      await extractor.extract({ payload: { text: "up" }, endpoint }, options);
    return { extracted: extractors.map((extractor) => extractor.typedName), failed: [] };
  };
}

describe("the polling source suite fails a source that", () => {
  it.each(cases)("%s", async (_what, change, test) => {
    expect(await failuresOf((api) => describePollingSource(api, harnessOf(change)))).toContain(
      test,
    );
  });
});
