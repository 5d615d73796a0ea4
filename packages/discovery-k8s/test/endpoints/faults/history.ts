import { type EndpointMetadata, endpointId } from "@muster/core";
import { expect } from "vitest";
import { Random } from "../../random.ts";
import type { Following } from "../following.ts";
import { installPools, resources } from "../objects.ts";
import type { FakeWorld } from "../world.ts";
import { failures } from "./failures.ts";
import { Model } from "./model.ts";
import { type Step, Steps } from "./steps.ts";
import { type Endpoints, endpointsOfPods, endpointsOfSlices, type Wanted } from "./truth.ts";

/** How a history is made. */
export interface HistoryOptions {
  readonly world: FakeWorld;
  /** The same seed tries the same. */
  readonly seed: number;
  readonly steps: number;
  /** Steps between two comparisons. */
  readonly checkEvery: number;
}

/** How often what was tried, by name. */
export type Tally = Record<string, number>;

type Mode = "pool" | "selector" | "service";

const selected: Wanted = { app: "vllm", ports: [8000, 8001] };

/**
 * Lets users, controllers and faults do what a seed says, and compares now and then: three discoveries
 * have exactly the endpoints that what was written amounts to. None may ever have had another.
 */
export async function runHistory(options: HistoryOptions): Promise<Tally> {
  const { world, seed } = options;
  const away = await world.another();
  await installPools(world.api, resources.pools);
  await installPools(world.api, resources.alphaPools);
  const history = new History(options, new Model([world.objects, away], selected), away);
  try {
    return await history.run();
  } catch (error) {
    const tail = history.log.slice(-40).join(", ");
    throw new Error(`seed ${seed}, after ${tail}:`, { cause: error });
  }
}

class History {
  readonly log: string[] = [];
  readonly #options: HistoryOptions;
  readonly #model: Model;
  readonly #steps: Steps;
  readonly #choices: readonly Step[];
  readonly #random: Random;
  readonly #followings: Readonly<Record<Mode, Following>>;
  readonly #tally: Tally = {};
  /** Endpoints that were seen and never ready. */
  readonly #wrong: string[] = [];

  constructor(options: HistoryOptions, model: Model, away: FakeWorld["objects"]) {
    const { world, seed } = options;
    this.#options = options;
    this.#model = model;
    this.#random = new Random(seed);
    this.#steps = new Steps(model, this.#random, [world.objects, away]);
    this.#choices = [...this.#steps.all(), ...failures(world, model, this.#random)];
    const { namespace } = world;
    const { app, ports } = selected;
    const namespaces = [namespace, away.namespace];
    this.#followings = {
      pool: this.#follow("pool", { inferencePool: { name: "llama", namespace } }),
      selector: this.#follow("selector", {
        selector: { matchLabels: { app }, ports, namespaces },
      }),
      service: this.#follow("service", { service: { name: "vllm", namespace, port: "http" } }),
    };
  }

  async run(): Promise<Tally> {
    const { steps, checkEvery } = this.#options;
    for (let done = 0; done < steps; ) {
      const step = this.#choose();
      if (!(await step.run())) continue;
      this.log.push(step.name);
      this.#tally[step.name] = (this.#tally[step.name] ?? 0) + 1;
      if (++done % checkEvery === 0) await this.#check();
    }
    return this.#tally;
  }

  #follow(mode: Mode, config: Parameters<FakeWorld["follow"]>[0]): Following {
    const onUpsert = (metadata: EndpointMetadata): void => {
      const { namespacedName, address, port } = metadata;
      const pair = `${endpointId(namespacedName)} ${address}:${port}`;
      this.#tally.endpoints = (this.#tally.endpoints ?? 0) + 1;
      if (!this.#model.allowed[mode].has(pair)) this.#wrong.push(`${mode}: ${pair}`);
    };
    // what is lost without a trace is found by the next list, so that must come soon
    const timing = { retryInitial: 5, retryCap: 40, reconnectCap: 40, silence: 300, relist: 600 };
    return this.#options.world.follow(config, { timing, onUpsert });
  }

  #choose(): Step {
    const total = this.#choices.reduce((sum, { weight }) => sum + weight, 0);
    let point = this.#random.below(total);
    for (const step of this.#choices) {
      point -= step.weight;
      if (point < 0) return step;
    }
    throw new Error("no step to choose");
  }

  async #check(): Promise<void> {
    const { world } = this.#options;
    world.server.faults.heal();
    // a pool that is gone leaves its last word, and nobody knows which that was
    const { pools, alphaPools } = this.#model.pools;
    if (pools === undefined && alphaPools === undefined) await this.#steps.writePool("pools");
    const truth = this.#truth();
    for (const [mode, following] of Object.entries(this.#followings)) {
      await expect
        .poll(() => seen(following), { timeout: 8000, interval: 10, message: mode })
        .toEqual(new Map([...truth[mode as Mode]].sort()));
      await following.says(undefined);
    }
    expect(this.#wrong).toEqual([]);
    this.#tally.comparisons = (this.#tally.comparisons ?? 0) + 1;
  }

  #truth(): Record<Mode, Endpoints> {
    const { pods, slices, pools } = this.#model;
    const { namespace } = this.#options.world;
    const wanted = pools.pools ?? pools.alphaPools ?? selected;
    const home = [...pods.values()].filter((pod) => pod.namespace === namespace);
    return {
      pool: endpointsOfPods(home, wanted),
      selector: endpointsOfPods(pods.values(), selected),
      service: endpointsOfSlices(slices.values()),
    };
  }
}

function seen({ found }: Following): Endpoints {
  const all = [...found].map(([id, { address, port }]) => [id, `${address}:${port}`] as const);
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
