import { messageOf } from "@muster/core";
import type { DiscoverySpec } from "@muster/core/plane";
import { codeOf, verify, verifyEqual, verifyFails } from "../verify.ts";
import type { PlaneTest } from "./bench.ts";
import { type Card, model, place } from "./records.ts";

type Fits = readonly [what: string, present: DiscoverySpec, candidate: DiscoverySpec];

const base = (display_name: string, rest: Card = {}): DiscoverySpec =>
  model({ display_name, ...rest });
const adapter = (name: string, rest: Card = {}): DiscoverySpec =>
  model({ display_name: name, lora: { name }, ...rest }, name);

/** Pairs that may be on one endpoint together, whichever is first. */
const fitting: readonly Fits[] = [
  ["bases of one name", base("m"), base("m")],
  [
    "bases of one name and different paths",
    base("m", { source_path: "a" }),
    base("m", { source_path: "b" }),
  ],
  [
    "bases of one path and different names",
    base("m", { source_path: "p" }),
    base("n", { source_path: "p" }),
  ],
  [
    "a base and an adapter of its path",
    base("m", { source_path: "p" }),
    adapter("a", { source_path: "p" }),
  ],
  [
    "a base named as an adapter's path, without its own",
    base("m"),
    adapter("a", { source_path: "m" }),
  ],
  ["adapters of one path", adapter("a", { source_path: "p" }), adapter("b", { source_path: "p" })],
  [
    "the same adapter twice",
    adapter("a", { source_path: "p" }),
    adapter("a", { source_path: "p" }),
  ],
];

/** Pairs that may not, whichever is first. */
const conflicting: readonly Fits[] = [
  ["bases of different names", base("m"), base("n")],
  [
    "bases of different names and paths",
    base("m", { source_path: "a" }),
    base("n", { source_path: "b" }),
  ],
  [
    "bases of different names and empty paths",
    base("m", { source_path: "" }),
    base("n", { source_path: "" }),
  ],
  [
    "bases of one path, one's name the other's alias",
    base("m", { source_path: "p", aliases: ["n"] }),
    base("n", { source_path: "p" }),
  ],
  [
    "bases of one path with an alias in common",
    base("m", { source_path: "p", aliases: ["x", "y"] }),
    base("n", { source_path: "p", aliases: ["y"] }),
  ],
  [
    "a base and an adapter of another path",
    base("m", { source_path: "p" }),
    adapter("a", { source_path: "q" }),
  ],
  ["a base and an adapter without a path", base("m"), adapter("a")],
  [
    "a base and an adapter of its name",
    base("m", { source_path: "p" }),
    adapter("m", { source_path: "p" }),
  ],
  [
    "a base and an adapter named as its alias",
    base("m", { source_path: "p", aliases: ["a"] }),
    adapter("a", { source_path: "p" }),
  ],
  [
    "adapters of different paths",
    adapter("a", { source_path: "p" }),
    adapter("b", { source_path: "q" }),
  ],
];

/** Which models may be on one endpoint together. */
export function modelTests(test: PlaneTest): void {
  for (const [what, present, candidate] of fitting)
    test(`takes ${what}`, async (bench) => {
      for (const [first, second] of bothWays(present, candidate)) {
        const [mine, other] = [await bench.client(), await bench.client()];
        const registered = [await mine.register(first), await other.register(second)];
        await bench.lists(mine, { type: "EndpointModels", ...place }, registered);
        for (const client of [mine, other]) await client.close();
        await bench.lists(await bench.client(), { type: "AllModels" }, []);
      }
    });

  for (const [what, present, candidate] of conflicting)
    test(`refuses ${what}`, async (bench) => {
      for (const [first, second] of bothWays(present, candidate)) {
        const [mine, other] = [await bench.client(), await bench.client()];
        const log = await bench.watch(mine, { type: "AllModels" });
        const kept = await mine.register(first);
        await verifyConflict(() => other.register(second), [nameOf(first), nameOf(second)]);
        await bench.lists(mine, { type: "AllModels" }, [kept]);
        await log.sees([kept], "a watch of models");
        await mine.unregister(kept);
        const late = await other.register(second);
        await bench.lists(mine, { type: "AllModels" }, [late]);
        for (const client of [mine, other]) await client.close();
        await bench.lists(await bench.client(), { type: "AllModels" }, []);
      }
    });

  otherModelTests(test);
}

function otherModelTests(test: PlaneTest): void {
  test("refuses an adapter of another model by the same worker", async (bench) => {
    const mine = await bench.client();
    const kept = await mine.register(base("m"));
    await verifyConflict(() => mine.register(adapter("a", { source_path: "q" })), ["m", "a"]);
    await bench.lists(mine, { type: "AllModels" }, [kept]);
  });

  test("takes any model on another endpoint", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const elsewhere = { ...place, endpoint: `${place.endpoint}2` };
    const registered = [
      await mine.register(base("m")),
      await other.register(model({ display_name: "n" }, undefined, elsewhere)),
    ];
    await bench.lists(mine, { type: "AllModels" }, registered);
  });

  test("never keeps both of two models that do not fit, whoever is faster", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (let round = 0; round < 5; round++) {
      const races = [mine.register(base("m")), other.register(base("n"))];
      const results = await Promise.allSettled(races);
      const kept = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      for (const each of results)
        if (each.status === "rejected")
          verifyEqual(codeOf(each.reason), "PLANE_CONFLICT", "the refusal");
      verify(kept.length < 2, "two models that do not fit must not both be registered");
      await bench.lists(mine, { type: "AllModels" }, kept);
      for (const instance of kept) await mine.unregister(instance);
    }
  });

  test("refuses a card without a name", async (bench) => {
    const client = await bench.client();
    for (const card of [null, {}, { display_name: 7 }] as (Card | null)[])
      await verifyFails(() => client.register(model(card)), JSON.stringify(card), "PLANE_CARD");
    await bench.lists(client, { type: "AllModels" }, []);
  });
}

function bothWays<T>(one: T, two: T): [T, T][] {
  return [
    [one, two],
    [two, one],
  ];
}

function nameOf(spec: DiscoverySpec): string {
  const card = spec.type === "Model" ? (spec.cardJson.value as Card) : {};
  return card.display_name ?? "";
}

async function verifyConflict(action: () => unknown, names: readonly string[]): Promise<void> {
  await verifyFails(action, `registration of ${names[1]}`, "PLANE_CONFLICT");
  const message = await Promise.resolve(action()).then(String, messageOf);
  for (const name of [...names, Object.values(place).join("/")])
    verify(message.includes(`'${name}'`), `the refusal must name '${name}', says: ${message}`);
}
