import type {
  Endpoint,
  EndpointWriter,
  ExtractFailure,
  ModelServer,
  PollingExtractor,
} from "@muster/core";
import { createWriteHandle } from "@muster/core/dispatch";
import { createFakeEndpoint } from "../fakes/index.ts";
import { extract, type Pace } from "./extract.ts";
import type { TestApi } from "./test-api.ts";
import { verify, verifyEqual } from "./verify.ts";

/** What {@link describePollingExtractor} needs. */
export interface PollingExtractorHarness<P> extends Pace {
  make(): PollingExtractor<P>;
  /** A payload the extractor can read. */
  payload(): P;
  /** Looks whether the endpoint holds what the payload says; throws when not. */
  check(endpoint: Endpoint): void;
  /** Payloads it cannot use: each must end as a failure with a code of its own, not EXTRACT_FAILED. */
  readonly unusable?: readonly (() => P)[] | undefined;
  /** An endpoint the payload may come from; default: {@link createFakeEndpoint}'s. */
  endpoint?(): ModelServer;
}

/** The contract of a polling extractor. */
export function describePollingExtractor<P>(
  { describe, it }: TestApi,
  harness: PollingExtractorHarness<P>,
): void {
  const endpointOf = (): ModelServer => harness.endpoint?.() ?? createFakeEndpoint();
  const run = (extractor: PollingExtractor<P>, endpoint: EndpointWriter, payload: P) =>
    extract(extractor, endpoint, harness, (handle) => ({ payload, endpoint: handle }));
  const bench: Bench<P> = { it, harness, endpointOf, run };
  describe("polling extractor", () => {
    payloadTests(bench);
    endpointTests(bench);
  });
}

interface Bench<P> {
  readonly it: TestApi["it"];
  readonly harness: PollingExtractorHarness<P>;
  endpointOf(): ModelServer;
  run(
    extractor: PollingExtractor<P>,
    endpoint: EndpointWriter,
    payload: P,
  ): Promise<ExtractFailure | undefined>;
}

function payloadTests<P>({ it, harness, endpointOf, run }: Bench<P>): void {
  it("is of the polling variant and names its payload", async () => {
    const { variant, payload } = harness.make();
    verifyEqual(variant, "polling", "variant");
    verify(payload.name !== "", "the payload token must have a name");
  });

  it("writes what a usable payload says, again and again, declared attributes only", async () => {
    const extractor = harness.make();
    const endpoint = endpointOf();
    for (let turn = 1; turn <= 3; turn++) {
      verifyEqual(await run(extractor, endpoint, harness.payload()), undefined, `run ${turn}`);
      harness.check(endpoint);
    }
  });

  for (const [index, unusable] of (harness.unusable ?? []).entries())
    it(`fails with a code on unusable payload ${index + 1}, and reads the next`, async () => {
      const extractor = harness.make();
      const endpoint = endpointOf();
      const failure = await run(extractor, endpoint, unusable());
      verify(failure !== undefined, "an unusable payload must end as a failure");
      verify(failure.code !== "EXTRACT_FAILED", `needs a code of its own: ${failure.message}`);
      verifyEqual(await run(extractor, endpoint, harness.payload()), undefined, "the next run");
      harness.check(endpoint);
    });
}

function endpointTests<P>({ it, harness, endpointOf, run }: Bench<P>): void {
  it("touches no endpoint but the one it is given", async () => {
    const extractor = harness.make();
    const [one, two] = [endpointOf(), endpointOf()];
    await run(extractor, one, harness.payload());
    verifyEqual(two.attributes.keys(), [], "attributes of an endpoint that was not polled");
    verify(two.metrics.updateTime === undefined, "metrics of an endpoint that was not polled");
  });

  it("writes nothing through a dead handle", async () => {
    const endpoint = endpointOf();
    const handle = createWriteHandle(endpoint);
    handle.revoke();
    await run(harness.make(), handle.endpoint, harness.payload());
    verifyEqual(endpoint.attributes.keys(), [], "attributes");
    verify(endpoint.metrics.updateTime === undefined, "metrics");
  });

  it("drops its state at release, of any endpoint and more than once", async () => {
    const extractor = harness.make();
    const endpoint = endpointOf();
    await run(extractor, endpoint, harness.payload());
    for (const id of [endpoint.id, endpoint.id, "no-such/endpoint"]) extractor.release?.(id);
    verifyEqual(await run(extractor, endpoint, harness.payload()), undefined, "run afterwards");
    harness.check(endpoint);
  });
}
