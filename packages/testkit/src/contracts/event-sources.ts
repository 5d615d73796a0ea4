import {
  type EndpointEvent,
  type EndpointSource,
  type EventType,
  freezePlain,
  type ModelServer,
  type NotificationEvent,
  type NotificationSource,
} from "@muster/core";
import { createWriteHandle } from "@muster/core/dispatch";
import { createFakeEndpoint } from "../fakes/index.ts";
import type { TestApi } from "./test-api.ts";
import { settled, verify, verifyEqual } from "./verify.ts";

const types: readonly EventType[] = ["AddOrUpdate", "Delete"];

/** What {@link describeNotificationSource} needs. */
export interface NotificationSourceHarness {
  make(): NotificationSource;
  /** Objects of the source's kind, as an API server gives them. */
  readonly objects: readonly NotificationEvent["object"][];
}

/** The contract of a notification source. */
export function describeNotificationSource(
  { describe, it }: TestApi,
  harness: NotificationSourceHarness,
): void {
  describe("notification source", () => {
    it("is of the notification variant and names one kind", async () => {
      const source = harness.make();
      verifyEqual(source.variant, "notification", "variant");
      verify(source.gvk.version !== "" && source.gvk.kind !== "", "gvk needs version and kind");
    });

    it("gives an event or nothing for every object, and leaves the object alone", async () => {
      const source = harness.make();
      verify(harness.objects.length > 0, "the harness must give objects");
      for (const type of types)
        for (const object of harness.objects) {
          const event = Object.freeze({ type, object: freezePlain(object) });
          const given = await settled(source.notify(event, options()), "notify");
          verify(given === undefined || isNotification(given), "notify must give an event");
        }
    });

    it("takes a deletion that has only kind, name and namespace", async () => {
      const { apiVersion = "v1", kind = "" } = harness.objects[0] ?? {};
      const metadata = { name: "gone", namespace: "default" };
      const event = freezePlain<NotificationEvent>({
        type: "Delete",
        object: { apiVersion, kind, metadata },
      });
      const given = await settled(harness.make().notify(event, options()), "notify");
      verify(given === undefined || isNotification(given), "notify must give an event or nothing");
    });
  });
}

/** What {@link describeEndpointSource} needs. */
export interface EndpointSourceHarness {
  make(): EndpointSource;
  /** An endpoint to announce; default: {@link createFakeEndpoint}'s. */
  endpoint?(): ModelServer;
}

/** The contract of an endpoint source. */
export function describeEndpointSource(
  { describe, it }: TestApi,
  harness: EndpointSourceHarness,
): void {
  const announce = async (type: EventType): Promise<[EndpointEvent, EndpointEvent | undefined]> => {
    const handle = createWriteHandle(harness.endpoint?.() ?? createFakeEndpoint());
    if (type === "Delete") handle.revoke();
    const event = Object.freeze({ type, endpoint: handle.endpoint });
    return [
      event,
      await settled(harness.make().notifyEndpoint(event, options()), "notifyEndpoint"),
    ];
  };
  describe("endpoint source", () => {
    it("is of the endpoint variant", async () => {
      verifyEqual(harness.make().variant, "endpoint", "variant");
    });

    for (const type of types)
      it(`gives an event of the same endpoint, or nothing, for ${type}`, async () => {
        const [event, given] = await announce(type);
        if (given === undefined) return;
        verify(types.includes(given.type), `notifyEndpoint gave type ${given.type}`);
        verifyEqual(given.endpoint.id, event.endpoint.id, "endpoint");
      });
  });
}

function options(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

function isNotification(event: NotificationEvent): boolean {
  return types.includes(event.type) && typeof event.object === "object" && event.object !== null;
}
