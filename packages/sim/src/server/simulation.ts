import { Engine } from "../engine/engine.ts";
import { iterationStats } from "../engine/iteration-stats.ts";
import { LoraUsage } from "../engine/lora-usage.ts";
import { combineLoads } from "../engine/totals.ts";
import type { EngineProfile } from "../engines/profile.ts";
import { engineProfile } from "../engines/profiles.ts";
import { HttpTraffic } from "../page/http-traffic.ts";
import { createPage } from "../page/page.ts";
import { createProcessView } from "../page/process-view.ts";
import { createRandom, deriveSeed, type Random } from "../random.ts";
import { LoraRegistry } from "./lora-registry.ts";
import type { ModelServerSettings } from "./options.ts";

/** One life of a model server, from its start to its restart: everything that is lost then. */
export interface Simulation {
  readonly profile: EngineProfile;
  readonly engine: Engine;
  readonly loras: LoraRegistry;
  readonly traffic: HttpTraffic;
  readonly random: Random;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  page(options?: { readonly nan?: boolean }): string;
  /** Iteration statistics, once for each iteration. */
  iterationStats(): readonly object[];
}

/** Begins life number `generation` of a server. */
export function createSimulation(settings: ModelServerSettings, generation: number): Simulation {
  const profile = engineProfile(settings.engine, settings.engineVersion);
  const random = createRandom(deriveSeed(settings.seed, generation));
  const traffic = new HttpTraffic();
  const loraUsage = new LoraUsage();
  const process = createProcessView({
    clock: settings.clock,
    pid: random.integer(100, 32_000),
    load: () => combineLoads(engine.ranks),
  });
  const context = { settings, process, traffic, loras: loraUsage };
  const page = createPage({
    families: profile.families(context),
    ranks: settings.ranks,
    order: profile.order,
    labels: (rank, type) => profile.labels(context, rank, type),
  });
  const engine = new Engine({
    limits: settings,
    maxWaiting: settings.maxWaiting,
    stepInterval: settings.stepInterval,
    clock: settings.clock,
    observers: page.observers,
    loras: loraUsage,
  });
  let reported = 0;
  return {
    profile,
    engine,
    traffic,
    random,
    loras: new LoraRegistry(settings),
    startedAt: Math.floor(settings.clock.now() / 1000),
    page: (rendering) => page.render(engine.ranks, rendering),
    iterationStats() {
      const load = combineLoads(engine.ranks);
      if (load.totals.steps === reported) return [];
      reported = load.totals.steps;
      const { blockSize, maxRunning, ranks } = settings;
      return [iterationStats(load, { blockSize, maxRunning: maxRunning * ranks })];
    },
  };
}
