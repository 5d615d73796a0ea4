import {
  attributeKey,
  type EndpointExtractor,
  MusterError,
  type NotificationExtractor,
  type PollingExtractor,
  payloadToken,
  type TypedName,
  typedName,
} from "@muster/core";
import {
  describeEndpointExtractor,
  describeNotificationExtractor,
  describePollingExtractor,
  type PollingExtractorHarness,
} from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";

interface Page {
  readonly queue?: number;
}
const page = payloadToken<Page>("testkit/queue-page");
const queueSize = attributeKey<number>("testkit-queue");

/** An extractor that keeps the contract; each change breaks a rule. */
function extractor(changes: Partial<PollingExtractor<Page>> = {}): PollingExtractor<Page> {
  return {
    typedName: typedName("queue-extractor"),
    variant: "polling",
    payload: page,
    produces: [queueSize],
    extract({ payload, endpoint }) {
      if (payload.queue === undefined) throw new MusterError("EXTRACT_MISSING", "queue is missing");
      endpoint.attributes.put(queueSize, payload.queue);
    },
    ...changes,
  };
}

function harnessOf(make: () => PollingExtractor<Page>): PollingExtractorHarness<Page> {
  return {
    make,
    patience: 50,
    payload: () => ({ queue: 3 }),
    check: (endpoint) => expect(endpoint.attributes.get(queueSize)).toBe(3),
    unusable: [() => ({})],
  };
}

describePollingExtractor({ describe, it }, harnessOf(extractor));

const writes = "writes what a usable payload says, again and again, declared attributes only";

describe("the polling extractor suite fails an extractor that", () => {
  const cases: [what: string, make: () => PollingExtractor<Page>, test: string][] = [
    [
      "is of another variant",
      () => extractor({ variant: "endpoint" as never }),
      "is of the polling variant and names its payload",
    ],
    ["writes undeclared attributes", () => extractor({ produces: [] }), writes],
    ["writes nothing", () => extractor({ extract: () => undefined }), writes],
    ["never ends", () => extractor({ extract: () => new Promise(() => undefined) }), writes],
    [
      "works once only",
      () => {
        let runs = 0;
        const { extract } = extractor();
        return extractor({
          extract(input, options) {
            if (runs++ > 0) throw new Error("again?");
            return extract(input, options);
          },
        });
      },
      writes,
    ],
    [
      "throws what has no code",
      () =>
        extractor({
          extract({ payload, endpoint }) {
            endpoint.attributes.put(queueSize, Number(payload.queue?.toFixed()));
            if (payload.queue === undefined) throw new TypeError("oops");
          },
        }),
      "fails with a code on unusable payload 1, and reads the next",
    ],
    [
      "breaks at the release of an endpoint it does not know",
      () =>
        extractor({
          release(id) {
            if (id === "no-such/endpoint") throw new Error("who?");
          },
        }),
      "drops its state at release, of any endpoint and more than once",
    ],
    [
      "keeps and writes endpoints it was given before",
      () => {
        const seen: { put(): void }[] = [];
        return extractor({
          extract({ endpoint }) {
            for (const other of seen) other.put();
            seen.push({ put: () => endpoint.attributes.put(queueSize, 3) });
          },
        });
      },
      writes,
    ],
  ];
  it.each(cases)("%s", async (_what, make, test) => {
    const failures = await failuresOf((api) => describePollingExtractor(api, harnessOf(make)));
    expect(failures).toContain(test);
  });
});

const pods = { group: "", version: "v1", kind: "Pod" };

function watching(
  extract: NotificationExtractor["extract"],
  name?: TypedName,
): NotificationExtractor {
  return { typedName: name ?? typedName("pods"), variant: "notification", gvk: pods, extract };
}

const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b" } };
const events = [
  { type: "AddOrUpdate", object: { ...object, spec: { nodeName: "n" } } },
  { type: "Delete", object },
] as const;

describeNotificationExtractor({ describe, it }, { make: () => watching(() => undefined), events });

const extractors: [what: string, extract: NotificationExtractor["extract"]][] = [
  [
    "changes the shared object",
    (event) => {
      (event.object as { seen?: boolean }).seen = true;
    },
  ],
  [
    "expects a whole object at deletion",
    (event) => {
      (event.object.spec as { nodeName: string }).nodeName.trim();
    },
  ],
];

describe("the notification extractor suite fails an extractor that", () => {
  it.each(extractors)("%s", async (_what, extract) => {
    const failures = await failuresOf((api) =>
      describeNotificationExtractor(api, { make: () => watching(extract), events }),
    );
    expect(failures).toEqual(["takes every event, twice over, and leaves frozen objects alone"]);
  });

  it("names no kind", async () => {
    const nameless = { ...watching(() => undefined), gvk: { group: "", version: "v1", kind: "" } };
    const failures = await failuresOf((api) =>
      describeNotificationExtractor(api, { make: () => nameless, events }),
    );
    expect(failures).toEqual(["is of the notification variant and names one kind"]);
  });
});

const greeting = attributeKey<string>("testkit-greeting");

function greeter(extract: EndpointExtractor["extract"]): EndpointExtractor {
  return {
    typedName: typedName("greeter"),
    variant: "endpoint",
    produces: [greeting],
    extract,
  };
}

const greet: EndpointExtractor["extract"] = ({ type, endpoint }) => {
  if (type === "AddOrUpdate") endpoint.attributes.put(greeting, `hello ${endpoint.id}`);
};

describeEndpointExtractor(
  { describe, it },
  {
    make: () => greeter(greet),
    check: (endpoint) => expect(endpoint.attributes.get(greeting)).toBe("hello default/server-1"),
  },
);

describe("the endpoint extractor suite fails an extractor that", () => {
  it("writes to an endpoint that is gone", async () => {
    const writer = greeter(({ endpoint }) => endpoint.attributes.put(greeting, "bye"));
    const failures = await failuresOf((api) =>
      describeEndpointExtractor(api, { make: () => writer }),
    );
    expect(failures).toEqual([
      "takes an endpoint's coming, change and going, and its return",
      "takes the going of an endpoint it never saw",
    ]);
  });

  it("expects each endpoint only once", async () => {
    const make = (): EndpointExtractor => {
      const seen = new Set<string>();
      return greeter(({ type, endpoint }) => {
        if (type === "Delete" && !seen.has(endpoint.id)) throw new Error("never seen");
        if (type === "AddOrUpdate" && seen.has(endpoint.id)) throw new Error("seen before");
        seen.add(endpoint.id);
      });
    };
    expect((await failuresOf((api) => describeEndpointExtractor(api, { make }))).length).toBe(2);
  });
});
