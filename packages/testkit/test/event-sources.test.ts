import { type EndpointSource, type NotificationSource, typedName } from "@muster/core";
import {
  createFakeEndpoint,
  describeEndpointSource,
  describeNotificationSource,
} from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";

const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b" }, spec: {} };

function notificationSource(changes: Partial<NotificationSource>): NotificationSource {
  return {
    typedName: typedName("broken-notification-source"),
    variant: "notification",
    gvk: { group: "", version: "v1", kind: "Pod" },
    notify: (event) => event,
    ...changes,
  };
}

describe("the notification source suite fails a source that", () => {
  const cases: [what: string, changes: Partial<NotificationSource>, test: string][] = [
    [
      "names no kind",
      { gvk: { group: "", version: "", kind: "" } },
      "is of the notification variant and names one kind",
    ],
    [
      "changes the object it is given",
      {
        notify(event) {
          (event.object as { seen?: boolean }).seen = true;
          return event;
        },
      },
      "gives an event or nothing for every object, and leaves the object alone",
    ],
    [
      "gives something that is no event",
      { notify: () => ({ type: "Gone", object: {} }) as never },
      "gives an event or nothing for every object, and leaves the object alone",
    ],
    [
      "expects a whole object at deletion",
      {
        notify(event) {
          if (event.object.spec === undefined) throw new Error("no spec");
          return event;
        },
      },
      "takes a deletion that has only kind, name and namespace",
    ],
  ];
  it.each(cases)("%s", async (_what, changes, test) => {
    const failures = await failuresOf((api) =>
      describeNotificationSource(api, {
        make: () => notificationSource(changes),
        objects: [object],
      }),
    );
    expect(failures).toContain(test);
  });
});

describe("the endpoint source suite fails a source that", () => {
  const cases: [what: string, changes: Partial<EndpointSource>, test: string][] = [
    ["is of another variant", { variant: "polling" as never }, "is of the endpoint variant"],
    [
      "gives another endpoint's event",
      {
        notifyEndpoint: (event) => ({ ...event, endpoint: createFakeEndpoint({ name: "other" }) }),
      },
      "gives an event of the same endpoint, or nothing, for AddOrUpdate",
    ],
    [
      "writes to an endpoint that is gone",
      {
        notifyEndpoint(event) {
          event.endpoint.updateMetrics({ waitingQueueSize: 0 });
          return event;
        },
      },
      "gives an event of the same endpoint, or nothing, for Delete",
    ],
  ];
  it.each(cases)("%s", async (_what, changes, test) => {
    const source: EndpointSource = {
      typedName: typedName("broken-endpoint-source"),
      variant: "endpoint",
      notifyEndpoint: (event) => event,
      ...changes,
    };
    const failures = await failuresOf((api) => describeEndpointSource(api, { make: () => source }));
    expect(failures).toContain(test);
  });
});
