import {
  type AttributeKey,
  type AttributeMap,
  createAttributes,
  createEndpoint,
  type EndpointMetadata,
  type ModelServer,
} from "@muster/core";
import { describeAttributeMap, describeModelServer } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";

const nameOf = (key: AttributeKey<unknown> | string): string =>
  typeof key === "string" ? key : key.name;

/** A map that does what somebody might write first: it just keeps values. */
class NaiveMap {
  readonly #values: Record<string, unknown>;

  constructor(values: Record<string, unknown> = {}) {
    this.#values = values;
  }

  get(key: AttributeKey<unknown> | string): unknown {
    return this.#values[nameOf(key)];
  }

  put(key: AttributeKey<unknown>, value: unknown): void {
    this.#values[key.name] = value;
  }

  delete(key: AttributeKey<unknown> | string): boolean {
    return delete this.#values[nameOf(key)];
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  clone(): AttributeMap {
    return this as unknown as AttributeMap;
  }
}

describe("the attribute map suite", () => {
  it("fails a map that just keeps values, in all but the plainest test", async () => {
    const failures = await failuresOf((api) =>
      describeAttributeMap(api, { make: () => new NaiveMap() as unknown as AttributeMap }),
    );
    expect(failures).toEqual([
      "ignores an undefined value",
      "deletes, and says whether there was anything",
      "is not changed by whoever wrote a value",
      "is not changed by whoever reads a value",
      "keeps an object with clone() and gives out clones",
      "reads a value of the wrong shape as absent",
      "asks a dynamic attribute at each read; nothing or a throw reads as absent",
      "clones into an independent map in which dynamic attributes stay dynamic",
      "takes any name and key as data, __proto__ too",
      "refuses what it cannot keep from changing",
    ]);
  });

  it("fails a map that copies at each read, and one that loses values", async () => {
    const copying = (): AttributeMap => {
      const map = createAttributes();
      return Object.assign(Object.create(map), {
        get: (key: string) => structuredCopy(map.get(key)),
        put: map.put.bind(map),
      });
    };
    expect(await failuresOf((api) => describeAttributeMap(api, { make: copying }))).toContain(
      "gives frozen data without a copy",
    );
    const losing = (): AttributeMap =>
      Object.assign(new NaiveMap(), { put: () => undefined }) as never;
    expect(await failuresOf((api) => describeAttributeMap(api, { make: losing }))).toContain(
      "gives back what was put, by key and by name",
    );
  });
});

function structuredCopy(value: unknown): unknown {
  return typeof value === "object" ? { ...value } : value;
}

type Change = (server: ModelServer, metadata: EndpointMetadata) => Partial<ModelServer>;

/** An endpoint with some members replaced. */
function changed(metadata: EndpointMetadata, change: Change): ModelServer {
  const server = createEndpoint(metadata);
  const members = Object.getOwnPropertyDescriptors(change(server, metadata));
  const proxy: ModelServer = {
    get id() {
      return server.id;
    },
    get metadata() {
      return server.metadata;
    },
    get metrics() {
      return server.metrics;
    },
    attributes: server.attributes,
    updateMetadata: (next) => server.updateMetadata(next),
    updateMetrics: (patch) => server.updateMetrics(patch),
    clone: () => server.clone(),
    toString: () => server.toString(),
  };
  return Object.defineProperties(proxy, members);
}

describe("the model server suite fails an endpoint that", () => {
  const cases: [what: string, change: Change, test: string][] = [
    [
      "starts with zeroes",
      (server) => {
        server.updateMetrics({ waitingQueueSize: 0 });
        return {};
      },
      "starts with its metadata, unknown metrics and no attributes",
    ],
    [
      "forgets fields that are not in a patch",
      (server) => ({
        updateMetrics: (patch) => server.updateMetrics({ waitingQueueSize: undefined, ...patch }),
      }),
      "merges metrics: fields that are not in a patch stay",
    ],
    [
      "gives mutable metrics",
      (server) => ({
        get metrics() {
          return { ...server.metrics };
        },
      }),
      "replaces metrics as a whole value, so a reader keeps a consistent one",
    ],
    [
      "counts an empty patch as a reading",
      (server) => ({
        updateMetrics: (patch) => server.updateMetrics({ runningRequestsSize: 1, ...patch }),
      }),
      "leaves metrics alone for an empty patch",
    ],
    [
      "takes numbers that are none for 0",
      (server) => ({
        updateMetrics(patch) {
          const { waitingQueueSize: size } = patch;
          const waitingQueueSize = size !== undefined && size >= 0 ? size : 0;
          server.updateMetrics({
            ...patch,
            ...("waitingQueueSize" in patch && { waitingQueueSize }),
          });
        },
      }),
      "refuses metrics that are negative or not finite, and stores nothing of that write",
    ],
    [
      "forgets metrics with its metadata",
      (server) => ({
        updateMetadata(metadata) {
          server.updateMetadata(metadata);
          server.updateMetrics({ waitingQueueSize: undefined });
        },
      }),
      "replaces metadata and keeps metrics and attributes",
    ],
    [
      "takes another endpoint's metadata",
      () => ({ updateMetadata: () => undefined }),
      "refuses the metadata of another endpoint",
    ],
    [
      "clones into itself",
      (server) => ({ clone: () => server }),
      "clones into an independent endpoint with the same values",
    ],
    ["prints no id", () => ({ toString: () => "[object]" }), "prints itself with its id"],
  ];
  it.each(cases)("%s", async (_what, change, test) => {
    const failures = await failuresOf((api) =>
      describeModelServer(api, { make: (metadata) => changed(metadata, change) }),
    );
    expect(failures).toContain(test);
  });
});
