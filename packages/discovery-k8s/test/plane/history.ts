import type { Discovery } from "@muster/core/plane";
import { encodeInstance } from "@muster/core/plane";
import { expect, vi } from "vitest";
import { Random } from "../random.ts";
import { Log } from "./log.ts";
import { ModelCluster } from "./model-cluster.ts";
import type { FakePlaneWorld } from "./world.ts";

const names = ["a", "b", "c", "d"] as const;
const slices = ["s", "t", "u"] as const;
const endpoints = ["e", "f", "g"];
const workers = "dynamoworkermetadatas";
/** ms in which everything recovers: silence, a list in time, and waits between tries. */
const patience = 10_000;

/** Times in which every fault is found out within `patience`. */
const timing = { retryInitial: 5, retryCap: 50, reconnectCap: 50, silence: 600, relist: 1500 };

type Step = readonly [name: string, weight: number, run: () => void | Promise<void>];

/**
 * Lets pods, slices, workers' objects and faults do what a seed says, and compares now and then: after
 * quiet, what watches made of it and what is listed must be what the rules say of the cluster.
 */
export class History {
  readonly log: string[] = [];
  readonly #world: FakePlaneWorld;
  readonly #random: Random;
  readonly #model: ModelCluster;
  readonly #planes: Discovery[];
  readonly #endpoints: Log[] = [];
  readonly #models: Log[] = [];
  readonly #steps: readonly Step[];

  constructor(world: FakePlaneWorld, seed: number) {
    this.#world = world;
    this.#random = new Random(seed);
    this.#model = new ModelCluster(world.cluster);
    this.#planes = [world.plane({ timing }), world.plane({ timing, queueLimit: 1 })];
    this.#steps = [...this.#clusterSteps(), ...this.#faultSteps()];
  }

  async run(steps: number, checkEvery: number): Promise<void> {
    for (const plane of this.#planes) await this.#watch(plane);
    for (let done = 1; done <= steps; done++) {
      const [name, , run] = this.#choose();
      this.log.push(name);
      await run();
      if (done % checkEvery === 0) await this.#check();
    }
    for (const log of [...this.#endpoints, ...this.#models])
      for (const event of log.events)
        if (event.type === "Added") this.#model.verifyShown(encodeInstance(event.instance));
  }

  #clusterSteps(): Step[] {
    const model = this.#model;
    const name = (): (typeof names)[number] => this.#random.pick(names);
    return [
      ["create", 4, () => model.createPod(name())],
      ["delete", 2, () => model.deletePod(name())],
      ["replace", 3, () => this.#replace(name())],
      ["slice", 10, () => this.#setSlice()],
      ["no slice", 2, () => model.deleteSlice(this.#random.pick(slices))],
      ["write", 12, () => model.write(name(), this.#random.some(endpoints))],
      ["spoil", 2, () => model.spoil(name())],
      ["no object", 1, () => model.deleteObject(name())],
    ];
  }

  #faultSteps(): Step[] {
    const { faults } = this.#world.server;
    const fail = (verb: string, resource?: string): void => {
      const status = this.#random.pick([500, 503, 410, 403]);
      faults.fail({ status, verb, resource, times: 1 + this.#random.below(4) });
    };
    return [
      ["drop", 2, () => faults.dropWatches()],
      ["end", 1, () => faults.endWatches()],
      ["silence", 1, () => faults.silence()],
      ["speak", 1, () => faults.speak()],
      ["fail lists", 2, () => fail("list")],
      ["fail lists of objects", 1, () => fail("list", workers)],
      ["fail watches", 1, () => fail("watch")],
      ["lose", 1, () => faults.loseDeletions(2)],
      ["garbage", 1, () => faults.garbage()],
      ["error event", 1, () => faults.errorEvent(this.#random.pick([410, 500]))],
      ["compact", 2, () => faults.compact(this.#random.pick(["event", "status"]))],
      ["watch anew", 2, () => this.#watchAnew()],
      ["pause", 3, () => new Promise((resolve) => setTimeout(resolve, this.#random.below(30)))],
    ];
  }

  #choose(): Step {
    let left = this.#random.below(this.#steps.reduce((sum, [, weight]) => sum + weight, 0));
    for (const step of this.#steps) {
      left -= step[1];
      if (left < 0) return step;
    }
    throw new Error("weights are wrong");
  }

  async #replace(name: string): Promise<void> {
    await this.#model.deletePod(name);
    await this.#model.createPod(name);
    if (this.#random.below(2) === 0) await this.#model.write(name, ["e"]);
  }

  async #setSlice(): Promise<void> {
    const entries = this.#random.some(names).map((name) => {
      const ready = this.#random.pick([true, true, true, true, false, null]);
      const kind = this.#random.below(12);
      if (kind === 0) return this.#model.entry(name, { ready, podUid: undefined });
      return this.#model.entry(name, kind === 1 ? { ready, podUid: "another" } : { ready });
    });
    await this.#model.setSlice(this.#random.pick(slices), entries);
  }

  /** Another pair of watches; it may be refused while faults last. */
  async #watchAnew(): Promise<void> {
    if (this.#endpoints.length > 6) return;
    const plane = this.#world.plane({ timing, syncTimeout: 300 });
    await this.#watch(plane).catch(() => plane.close());
  }

  async #watch(plane: Discovery): Promise<void> {
    const both = ["AllEndpoints", "AllModels"] as const;
    const [ofEndpoints, ofModels] = await Promise.all(
      both.map(async (type) => new Log(await plane.listAndWatch({ type }))),
    );
    if (ofEndpoints !== undefined) this.#endpoints.push(ofEndpoints);
    if (ofModels !== undefined) this.#models.push(ofModels);
  }

  async #check(): Promise<void> {
    const { faults } = this.#world.server;
    faults.speak();
    faults.heal();
    await this.#model.repair();
    const published = this.#model.published();
    const isModel = (wire: string): boolean => wire.startsWith('{"type":"Model"');
    const check = async (): Promise<void> => {
      for (const log of this.#models) expect(log.view).toEqual(published.filter(isModel));
      for (const log of this.#endpoints)
        expect(log.view).toEqual(published.filter((wire) => !isModel(wire)));
      const [plane] = this.#planes;
      const listed = await Promise.all([
        this.#world.plane().list({ type: "AllEndpoints" }),
        plane?.list({ type: "AllModels" }) ?? [],
      ]);
      expect(listed.flat().map(encodeInstance).sort()).toEqual(published);
    };
    await vi.waitFor(check, { timeout: patience, interval: 20 });
  }
}
