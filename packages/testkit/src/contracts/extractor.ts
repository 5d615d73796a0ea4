import {
  type Endpoint,
  type EndpointExtractor,
  type EndpointWriter,
  type EventType,
  type ExtractFailure,
  type Extractor,
  formatPlain,
  freezePlain,
  type ModelServer,
  type NotificationEvent,
  type NotificationExtractor,
  type PollingExtractor,
  producedAttributes,
  systemClock,
} from "@muster/core";
import { createWriteHandle, defaultExtractTimeout, runExtractor } from "@muster/core/dispatch";
import { createFakeEndpoint } from "../fakes/index.ts";
import type { TestApi } from "./test-api.ts";
import { verify, verifyEqual } from "./verify.ts";

/** How fast an extractor has to be. */
export interface Pace {
  /** Longest time of one extraction, ms; default 1,000, the time-out of sources. */
  readonly patience?: number | undefined;
}

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
  describe("polling extractor", () => {
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

    it("drops its state at release, of any endpoint and more than once", async () => {
      const extractor = harness.make();
      const endpoint = endpointOf();
      await run(extractor, endpoint, harness.payload());
      for (const id of [endpoint.id, endpoint.id, "no-such/endpoint"]) extractor.release?.(id);
      verifyEqual(await run(extractor, endpoint, harness.payload()), undefined, "run afterwards");
      harness.check(endpoint);
    });
  });
}

/** What {@link describeNotificationExtractor} needs. */
export interface NotificationExtractorHarness extends Pace {
  make(): NotificationExtractor;
  /** Events of the extractor's kind, in an order in which they can happen. */
  readonly events: readonly NotificationEvent[];
}

/** The contract of a notification extractor. */
export function describeNotificationExtractor(
  { describe, it }: TestApi,
  harness: NotificationExtractorHarness,
): void {
  describe("notification extractor", () => {
    it("is of the notification variant and names one kind", async () => {
      const { variant, gvk } = harness.make();
      verifyEqual(variant, "notification", "variant");
      verify(gvk.version !== "" && gvk.kind !== "", "gvk needs version and kind");
    });

    it("takes every event, twice over, and leaves frozen objects alone", async () => {
      const extractor = harness.make();
      verify(harness.events.length > 0, "the harness must give events");
      for (const event of [...harness.events, ...harness.events]) {
        const input = freezePlain(event);
        const failure = await extract(extractor, createFakeEndpoint(), harness, () => input);
        verifyEqual(failure, undefined, `extract of ${formatPlain(event)}`);
      }
    });
  });
}

/** What {@link describeEndpointExtractor} needs. */
export interface EndpointExtractorHarness extends Pace {
  make(): EndpointExtractor;
  /** An endpoint that comes and goes; default: {@link createFakeEndpoint}'s. */
  endpoint?(): ModelServer;
  /** Looks whether the endpoint holds what the extractor writes when it comes; throws when not. */
  check?(endpoint: Endpoint): void;
}

/** The contract of an endpoint extractor. */
export function describeEndpointExtractor(
  { describe, it }: TestApi,
  harness: EndpointExtractorHarness,
): void {
  const endpointOf = (): ModelServer => harness.endpoint?.() ?? createFakeEndpoint();
  const run = (extractor: EndpointExtractor, endpoint: EndpointWriter, type: EventType) =>
    extract(extractor, endpoint, harness, (handle) => ({ type, endpoint: handle }));
  describe("endpoint extractor", () => {
    it("is of the endpoint variant", async () => {
      verifyEqual(harness.make().variant, "endpoint", "variant");
    });

    it("takes an endpoint's coming, change and going, and its return", async () => {
      const extractor = harness.make();
      for (let life = 1; life <= 2; life++) {
        const endpoint = endpointOf();
        const handle = createWriteHandle(endpoint);
        for (const turn of ["coming", "change"]) {
          const failure = await run(extractor, handle.endpoint, "AddOrUpdate");
          verifyEqual(failure, undefined, `${turn} in life ${life}`);
          harness.check?.(endpoint);
        }
        handle.revoke();
        verifyEqual(await run(extractor, handle.endpoint, "Delete"), undefined, `going ${life}`);
        extractor.release?.(endpoint.id);
      }
    });

    it("takes the going of an endpoint it never saw", async () => {
      const handle = createWriteHandle(endpointOf());
      handle.revoke();
      verifyEqual(await run(harness.make(), handle.endpoint, "Delete"), undefined, "going");
    });
  });
}

/** Runs an extractor as a source does: with a handle for its declared attributes, failures caught. */
async function extract<In>(
  extractor: Extractor<In>,
  endpoint: EndpointWriter,
  { patience = defaultExtractTimeout }: Pace,
  input: (handle: EndpointWriter) => In,
): Promise<ExtractFailure | undefined> {
  const handle = createWriteHandle(endpoint, { attributes: producedAttributes(extractor) });
  const { signal } = new AbortController();
  const run = { handle, input, signal, clock: systemClock, timeout: patience };
  return await runExtractor(extractor, run);
}
