import { type DiscoverySpec, fromModel, RawJson } from "@muster/core/plane";
import { verify, verifyEqual, verifyFails } from "../verify.ts";
import { type PlaneTest, wire } from "./bench.ts";
import {
  allOf,
  channel,
  endpoint,
  everyKind,
  isOf,
  model,
  place,
  scopes,
  source,
} from "./records.ts";

/** What register writes, and what it refuses. */
export function registerTests(test: PlaneTest): void {
  kindTests(test);
  againTests(test);
  refusalTests(test);
}

function kindTests(test: PlaneTest): void {
  test("registers every kind of record under its id, as others list it", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (const spec of everyKind) {
      const instance = await mine.register(spec);
      verifyEqual(instance.type, spec.type, "the kind of what is registered");
      const ids = { EventChannel: 42n, EventSource: 43n, Endpoint: 0n, Model: 0n };
      verifyEqual(instance.instanceId, ids[spec.type] || mine.instanceId, `id of ${spec.type}`);
      await bench.lists(other, allOf(spec.type), [instance]);
      await bench.lists(mine, allOf(spec.type), [instance]);
    }
  });

  test("keeps every field of a record", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const at = (name: string): typeof place => ({ ...place, endpoint: name });
    const codec = { deviceType: "cuda", requestPlaneCodec: "msgpack" };
    const specs: DiscoverySpec[] = [
      { ...endpoint(at("a")), ...codec } as DiscoverySpec,
      { type: "Endpoint", ...at("b"), transport: { nats_tcp: "a.subject" } },
      { type: "Endpoint", ...at("c"), transport: { http: "http://192.0.2.1:80/v1/rpc/c" } },
    ];
    const registered = [];
    for (const spec of specs) registered.push(await mine.register(spec));
    await bench.lists(other, { type: "AllEndpoints" }, registered);
    const [first] = await other.list({ type: "Endpoint", ...at("a") });
    verify(first !== undefined, "a registered endpoint must be listed");
    const { deviceType, requestPlaneCodec, transport } = isOf("Endpoint", first);
    verifyEqual({ deviceType, requestPlaneCodec }, codec, "optional fields");
    verifyEqual({ ...transport }, { tcp: "192.0.2.1:8000/1/generate" }, "transport");
    const events = [];
    for (const scope of scopes) events.push(await mine.register(channel(scope)));
    await bench.lists(other, { type: "EventChannels" }, events);
  });

  test("keeps a card to the character where it can, its numbers always", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const { largestNumber = 2n ** 64n - 1n } = bench.harness;
    const text = `{"display_name":"m \\u00e9 \\"","z":${largestNumber},"a":[1.0,1e2,-0,0.1],"__proto__":{"b":null}}`;
    const card = RawJson.parse(text);
    await mine.register(fromModel({ ...place, card }));
    const [listed] = await other.list({ type: "AllModels" });
    verify(listed !== undefined, "a registered model must be listed");
    const { cardJson } = isOf("Model", listed);
    verify(cardJson.equals(card), `a card must stay equal, got ${cardJson.text}`);
    if (bench.harness.keepsSpelling !== false) verifyEqual(cardJson.text, text, "the card's text");
  });

  test("carries ids of 64 bits to the last digit", async (bench) => {
    const { largestId } = bench.harness;
    const ids = largestId === undefined ? [undefined] : [largestId, 2n ** 53n + 1n, 1n];
    const other = await bench.client();
    const log = await bench.watch(other, { type: "AllEndpoints" });
    const registered = [];
    for (const id of ids) {
      const client = await bench.client(id);
      if (id !== undefined) verifyEqual(client.instanceId, id, "the id a worker was given");
      registered.push(await client.register(endpoint()));
      verifyEqual(registered.at(-1)?.instanceId, client.instanceId, "the id of its endpoint");
    }
    await bench.lists(other, { type: "AllEndpoints" }, registered);
    await log.sees(registered, "a watch");
  });
}

function againTests(test: PlaneTest): void {
  test("changes nothing when the same is registered again", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (const spec of everyKind) {
      const first = await mine.register(spec);
      const log = await bench.watch(other, allOf(spec.type));
      await log.started();
      const second = await mine.register(spec);
      verifyEqual(
        wire([second]),
        wire([first]),
        `what a second registration of ${spec.type} gives`,
      );
      await bench.lists(other, allOf(spec.type), [first]);
      verifyEqual(log.count("Added"), 1, `how often a watch reports ${spec.type}`);
    }
  });

  test("keeps or replaces an endpoint and a channel that are registered again", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const scope = { kind: "namespace", name: "testkit" } as const;
    const changes = [
      [endpoint(), endpoint(place, 9000)],
      [channel(scope), channel(scope, "kv-events", 9000)],
    ] as const;
    for (const [before, after] of changes) {
      const first = await mine.register(before);
      const second = await mine.register(after);
      const [listed] = await other.list(allOf(before.type));
      verify(listed !== undefined, "it must be listed");
      verifyEqual(wire([second]), wire([listed]), "what the second registration gives");
      const keeps = bench.harness.registerAgain !== "replace";
      verifyEqual(wire([second])[0] === wire([first])[0], keeps, "whether the first value is kept");
    }
  });

  test("refuses another card or source under an id that is taken", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const scope = { kind: "namespace", name: "testkit" } as const;
    const changes = [
      [model({ display_name: "m", kv: 1 }), model({ display_name: "m", kv: 2 })],
      [source(scope), source(scope, "kv-events", 2)],
    ] as const;
    for (const [before, after] of changes) {
      const first = await mine.register(before);
      await verifyFails(() => mine.register(after), `a changed ${after.type}`, "PLANE_CONFLICT");
      await bench.lists(other, allOf(before.type), [first]);
    }
  });

  test("keeps the taints of a model that is registered again with others", async (bench) => {
    const mine = await bench.client();
    const tainted = (taints: string[]): DiscoverySpec =>
      model({ display_name: "m", runtime_config: { taints } });
    const first = await mine.register(tainted(["a"]));
    const second = await mine.register(tainted(["b"]));
    verifyEqual(wire([second]), wire([first]), "what the second registration gives");
    await bench.lists(mine, { type: "AllModels" }, [first]);
  });
}

function refusalTests(test: PlaneTest): void {
  test("refuses names that cannot be part of a key, and registers nothing", async (bench) => {
    const client = await bench.client();
    for (const field of ["namespace", "component", "endpoint"])
      for (const name of ["", "a/b", "/"])
        for (const spec of [endpoint(), model({ display_name: "m" })])
          await verifyFails(
            () => client.register({ ...spec, [field]: name } as DiscoverySpec),
            `${spec.type} with ${field} "${name}"`,
            "PLANE_NAME",
          );
    await verifyFails(
      () => client.register(model({ display_name: "m" }, "a/b")),
      "a suffix with a slash",
      "PLANE_NAME",
    );
    for (const spec of everyKind) await bench.lists(client, allOf(spec.type), []);
  });

  test("takes hostile names as data", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const names = ["__proto__", "constructor", "a b", "%2F", "ü🚀", "..", '"', "'", "\\", "a.b"];
    const log = await bench.watch(other, { type: "AllEndpoints" });
    const registered = [];
    for (const name of names) {
      const at = { namespace: name, component: name, endpoint: name };
      try {
        registered.push(await mine.register(endpoint(at)));
      } catch (error) {
        verifyEqual((error as { code?: unknown }).code, "PLANE_NAME", `the refusal of "${name}"`);
        continue;
      }
      await bench.lists(other, { type: "Endpoint", ...at }, registered.slice(-1));
    }
    await bench.lists(other, { type: "AllEndpoints" }, registered);
    await log.sees(registered, "a watch of all");
    const topics = [];
    for (const topic of [...names, "a/b", "/", "%", "*", ">"]) {
      topics.push(await mine.register(channel({ kind: "namespace", name: topic }, topic)));
      const query = { type: "EventChannels", scope: { kind: "namespace", name: topic } } as const;
      await bench.lists(other, query, topics.slice(-1));
    }
    await bench.lists(other, { type: "EventChannels" }, topics);
  });

  test("does nothing for a caller that has left", async (bench) => {
    const client = await bench.client();
    const options = { signal: AbortSignal.abort() };
    const instance = await client.register(endpoint());
    const calls: Record<string, () => Promise<unknown>> = {
      register: () => client.register(model({ display_name: "m" }), options),
      unregister: () => client.unregister(instance, options),
      list: () => client.list({ type: "AllEndpoints" }, options),
      check: () => client.check(options),
    };
    for (const [name, call] of Object.entries(calls))
      await verifyFails(call, `${name} with an aborted signal`, "PLANE_ABORTED");
    await bench.lists(client, { type: "AllEndpoints" }, [instance]);
    await bench.lists(client, { type: "AllModels" }, []);
  });
}
