import {
  cloneEndpointMetadata,
  createEndpoint,
  MusterError,
  type PollInput,
  type PollingExtractor,
  payloadToken,
} from "@muster/core";
import {
  type Bench,
  benchOf,
  extractor,
  nameOf,
  type PollingSourceWorld,
  passTime,
} from "./polling-bench.ts";
import { type TestApi, using } from "./test-api.ts";
import { defaultPatience, settled, verify, verifyEqual, verifyFails } from "./verify.ts";

/** What {@link describePollingSource} needs. */
export interface PollingSourceHarness<P> {
  /** How long one dispatch may take, ms; default 3,000. */
  readonly patience?: number | undefined;
  make(): PollingSourceWorld<P> | Promise<PollingSourceWorld<P>>;
}

/** The contract of a polling source. */
export function describePollingSource<P>(
  { describe, it }: TestApi,
  harness: PollingSourceHarness<P>,
): void {
  const patience = harness.patience ?? defaultPatience;
  const test: Test<P> = (name, body) => {
    it(name, () => using(harness.make, (world) => body(benchOf(world, patience))));
  };
  describe("polling source", () => {
    bindingTests(test);
    tokenTests(test);
    isolationTests(test);
    slowTests(test);
    endpointTests(test);
    pollTests(test);
  });
}

type Test<P> = (name: string, body: (bench: Bench<P>) => Promise<void>) => void;

function bindingTests<P>(test: Test<P>): void {
  test("is of the polling variant and names its payload", async ({ source }) => {
    verifyEqual(source.variant, "polling", "variant");
    verify(source.payload.name !== "", "the payload token must have a name");
    verifyEqual(source.extractors, [], "extractors of a new source");
  });

  test("runs extractors in append order, each with payload and endpoint", async ({
    source,
    endpoint,
    dispatch,
  }) => {
    const seen: [string, string][] = [];
    for (const name of ["one", "two", "three"])
      source.appendExtractor(
        extractor(source, name, (input) => {
          verify(input.payload !== undefined, "the payload must be usable");
          seen.push([name, input.endpoint.id]);
        }),
      );
    const result = await dispatch();
    const names = ["one", "two", "three"];
    verifyEqual(
      seen,
      names.map((name) => [name, endpoint.id]),
      "runs",
    );
    verifyEqual(result.extracted.map(nameOf), names, "extracted");
    verifyEqual(result.failed, [], "failed");
  });
}

function tokenTests<P>(test: Test<P>): void {
  test("refuses an extractor of another payload or variant", async ({ source }) => {
    const stranger = { ...extractor(source, "x"), payload: payloadToken<P>("testkit/other") };
    const listener = { ...extractor(source, "y"), variant: "endpoint" as const };
    for (const bad of [stranger, listener])
      await verifyFails(
        () => source.appendExtractor(bad as PollingExtractor<P>),
        "appendExtractor",
        "EXTRACTOR_INCOMPATIBLE",
      );
    verifyEqual(source.extractors, [], "extractors");
  });

  test("compares payload tokens by name", async ({ source, dispatch }) => {
    const copy = { ...extractor(source, "copy"), payload: payloadToken<P>(source.payload.name) };
    source.appendExtractor(copy);
    verifyEqual((await dispatch()).extracted.map(nameOf), ["copy"], "extracted");
  });

  test("only appends: detecting duplicates is the caller's", async ({ source, dispatch }) => {
    source.appendExtractor(extractor(source, "same"));
    source.appendExtractor(extractor(source, "same"));
    verifyEqual((await dispatch()).extracted.map(nameOf), ["same", "same"], "extracted");
    verifyEqual(source.extractors.length, 2, "extractors");
  });
}

function isolationTests<P>(test: Test<P>): void {
  test("lets no failing extractor surface or stop its siblings", async ({ source, dispatch }) => {
    const failing: Record<string, () => void | Promise<void>> = {
      throws: () => {
        throw new MusterError("EXTRACT_MISSING", "nothing there");
      },
      rejects: () => Promise.reject(new Error("unexpected")),
    };
    for (const [name, run] of Object.entries(failing))
      source.appendExtractor(extractor(source, name, run));
    source.appendExtractor(extractor(source, "last"));
    const result = await dispatch();
    verifyEqual(
      result.failed.map((failure) => [nameOf(failure.extractor), failure.code]),
      [
        ["throws", "EXTRACT_MISSING"],
        ["rejects", "EXTRACT_FAILED"],
      ],
      "failed",
    );
    verifyEqual(result.extracted.map(nameOf), ["last"], "extracted");
  });
}

function slowTests<P>(test: Test<P>): void {
  test("cuts a slow extractor short, runs the next and takes no late writes", async (bench) => {
    const { world, source, endpoint, dispatch } = bench;
    let late: PollInput<P>["endpoint"] | undefined;
    let told = false;
    let begin: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    source.appendExtractor(
      extractor(source, "slow", (input, { signal }) => {
        begin();
        late = input.endpoint;
        signal.addEventListener("abort", () => {
          told = true;
        });
        return new Promise(() => undefined);
      }),
    );
    source.appendExtractor(extractor(source, "next"));
    const running = dispatch();
    await Promise.race([begun, running]);
    await passTime(world, running);
    const result = await running;
    verifyEqual(
      result.failed.map((failure) => failure.code),
      ["EXTRACT_TIMEOUT"],
      "failed",
    );
    verifyEqual(result.extracted.map(nameOf), ["next"], "extracted");
    verify(told, "the extractor's signal must abort at its time-out");
    await verifyFails(() => late?.updateMetrics({ waitingQueueSize: 1 }), "write", "HANDLE_DEAD");
    verify(endpoint.metrics.waitingQueueSize === undefined, "the late write must change nothing");
  });
}

function endpointTests<P>(test: Test<P>): void {
  test("keeps two endpoints polled at once apart", async ({ source, endpoint, dispatch }) => {
    const twin = createEndpoint(cloneEndpointMetadata(endpoint.metadata, { name: "twin" }));
    source.appendExtractor(
      extractor(source, "tag", async (input) => {
        await Promise.resolve();
        input.endpoint.updateMetrics({ activeModels: { [input.endpoint.id]: 1 } });
      }),
    );
    await Promise.all([endpoint, twin].map((target) => dispatch(undefined, target)));
    for (const target of [endpoint, twin])
      verifyEqual(Object.keys(target.metrics.activeModels ?? {}), [target.id], "written by");
  });

  test("tells every extractor when an endpoint is released", async ({ source, endpoint }) => {
    const released: string[] = [];
    const failure = new MusterError("EXTRACT_FAILED", "from the first extractor's release");
    const fail = (): void => {
      throw failure;
    };
    const note = (id: string): void => {
      released.push(id);
    };
    source.appendExtractor({ ...extractor(source, "bad"), release: fail });
    source.appendExtractor({ ...extractor(source, "good"), release: note });
    try {
      source.release?.(endpoint.id);
    } catch (error) {
      // a source may say so, once all are released
      if (error !== failure) throw error;
    }
    verifyEqual(released, [endpoint.id], "released");
  });
}

function pollTests<P>(test: Test<P>): void {
  test("rejects when the poll failed, runs no extractor, and recovers", async ({
    world,
    source,
    dispatch,
  }) => {
    let runs = 0;
    source.appendExtractor(
      extractor(source, "count", () => {
        runs++;
      }),
    );
    await world.fail();
    await verifyFails(() => dispatch(), "dispatch to a failing server");
    verifyEqual(runs, 0, "runs after a failed poll");
    await world.recover();
    verifyEqual((await dispatch()).extracted.length, 1, "extracted after the recovery");
    verifyEqual(runs, 1, "runs");
  });

  test("ends a poll that hangs when the signal aborts", async ({ world, dispatch }) => {
    await world.hang();
    const controller = new AbortController();
    const running = dispatch(controller.signal);
    controller.abort();
    await verifyFails(() => running, "dispatch after the abort");
  });

  test("times out a poll that hangs", async ({ world, dispatch }) => {
    await world.hang();
    const running = dispatch();
    running.catch(() => undefined);
    await passTime(world, running);
    await verifyFails(() => running, "dispatch to a server that hangs");
  });

  test("can be stopped twice", async ({ source }) => {
    await settled(source.stop?.(), "stop");
    await settled(source.stop?.(), "second stop");
  });
}
