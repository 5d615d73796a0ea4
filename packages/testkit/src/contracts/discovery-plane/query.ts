import type { ErrorCode } from "@muster/core";
import type { DiscoveryInstance, DiscoveryQuery, EventScope } from "@muster/core/plane";
import { verifyFails } from "../verify.ts";
import type { PlaneTest } from "./bench.ts";
import { channel, endpoint, model, type Place, scopes, source } from "./records.ts";

const places: readonly Place[] = ["n1/c1/e1", "n1/c1/e10", "n1/c10/e1", "n10/c1/e1", "n1/c/e1"].map(
  (path) => {
    const [namespace = "", component = "", name = ""] = path.split("/");
    return { namespace, component, endpoint: name };
  },
);

const topics = ["t", "t1", "t/1"];

/** What every query finds: the same for list and for the start of a watch. */
export function queryTests(test: PlaneTest): void {
  test("finds endpoints by namespace, component and endpoint, names compared whole", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const all: DiscoveryInstance[] = [];
    for (const at of places)
      for (const client of [mine, other]) {
        all.push(await client.register(endpoint(at)));
        await client.register(model({ display_name: "base" }, undefined, at));
      }
    for (const { query, isFound } of placeQueries()) {
      const found = all.filter((each) => each.type === "Endpoint" && isFound(each));
      await bench.lists(other, query, found);
      await (await bench.watch(mine, query)).sees(found, `a watch of ${JSON.stringify(query)}`);
    }
  });

  test("finds models and their adapters likewise", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const all: DiscoveryInstance[] = [];
    for (const at of places) {
      const adapter = { display_name: "a", lora: { name: "a" }, source_path: "base" };
      all.push(await mine.register(model({ display_name: "base" }, undefined, at)));
      all.push(await mine.register(model(adapter, "a", at)));
      await mine.register(endpoint(at));
    }
    for (const { query, isFound } of placeQueries("Models")) {
      const found = all.filter((each) => each.type === "Model" && isFound(each));
      await bench.lists(other, query, found);
      await (await bench.watch(other, query)).sees(found, `a watch of ${JSON.stringify(query)}`);
    }
  });

  test("finds event channels and sources by exact scope and topic", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (const [type, spec] of [
      ["EventChannels", channel],
      ["EventSources", source],
    ] as const) {
      const all: { scope: EventScope; topic: string; instance: DiscoveryInstance }[] = [];
      for (const scope of scopes)
        for (const topic of topics)
          all.push({ scope, topic, instance: await mine.register(spec(scope, topic)) });
      for (const scope of [undefined, ...scopes, { kind: "namespace", name: "n" } as const])
        for (const topic of [undefined, ...topics, "none"]) {
          const found = all
            .filter((each) => scope === undefined || each.scope === scope)
            .filter((each) => topic === undefined || each.topic === topic)
            .map(({ instance }) => instance);
          await bench.lists(other, { type, scope, topic }, found);
        }
      const watched = { type, scope: scopes[0], topic: "t" } as const;
      const log = await bench.watch(other, watched);
      await log.sees(
        all.slice(0, 1).map(({ instance }) => instance),
        `a watch of ${type}`,
      );
    }
  });

  test("refuses a query that is none, and does not take it for everything", async (bench) => {
    const client = await bench.client();
    for (const [given, code] of noQueries) {
      const [query, text] = [given as DiscoveryQuery, JSON.stringify(given)];
      await verifyFails(() => client.list(query), `list ${text}`, code);
      await verifyFails(() => client.listAndWatch(query), `listAndWatch ${text}`, code);
    }
  });
}

/** What programs without types ask for by mistake. */
const noQueries: readonly (readonly [unknown, ErrorCode])[] = [
  [{ type: "NamespacedEndpoint", namespace: "n1" }, "PLANE_VARIANT"],
  [{ type: "constructor" }, "PLANE_VARIANT"],
  [{ namespace: "n1" }, "PLANE_VARIANT"],
  [{ type: "NamespacedEndpoints" }, "PLANE_NAME"],
  [{ type: "ComponentModels", namespace: "n1", component: null }, "PLANE_NAME"],
  [{ type: "EventChannels", topic: 1 }, "PLANE_NAME"],
  [{ type: "EventSources", scope: { kind: "namespace" } }, "PLANE_RECORD"],
];

interface PlaceQuery {
  readonly query: DiscoveryQuery;
  isFound(at: Place): boolean;
}

/** All queries at the places of this page, and at some where nothing is. */
function placeQueries(kind: "Endpoints" | "Models" = "Endpoints"): PlaceQuery[] {
  const all: PlaceQuery = { query: { type: `All${kind}` }, isFound: () => true };
  const nowhere = { namespace: "n", component: "c1", endpoint: "e1" };
  const byPlace = [...places, nowhere].flatMap((at): PlaceQuery[] => {
    const { namespace, component } = at;
    const inNamespace = (other: Place): boolean => other.namespace === namespace;
    const inComponent = (other: Place): boolean =>
      inNamespace(other) && other.component === component;
    return [
      { query: { type: `Namespaced${kind}`, namespace }, isFound: inNamespace },
      { query: { type: `Component${kind}`, namespace, component }, isFound: inComponent },
      {
        query: { type: kind === "Models" ? "EndpointModels" : "Endpoint", ...at },
        isFound: (other) => inComponent(other) && other.endpoint === at.endpoint,
      },
    ];
  });
  return [all, ...byPlace];
}
