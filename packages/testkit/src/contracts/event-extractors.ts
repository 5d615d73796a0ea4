import {
  type Endpoint,
  type EndpointExtractor,
  type EndpointWriter,
  type EventType,
  formatPlain,
  freezePlain,
  type ModelServer,
  type NotificationEvent,
  type NotificationExtractor,
} from "@muster/core";
import { createWriteHandle } from "@muster/core/dispatch";
import { createFakeEndpoint } from "../fakes/index.ts";
import { extract, type Pace } from "./extract.ts";
import type { TestApi } from "./test-api.ts";
import { verify, verifyEqual } from "./verify.ts";

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
