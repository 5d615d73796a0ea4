import { combineLoads, type LoadView, type Totals } from "../engine/totals.ts";
import type { Simulation } from "./simulation.ts";

/** The load of a rank or of a server at one moment. */
export interface LoadSnapshot {
  readonly running: number;
  readonly waiting: number;
  /** 0..1. */
  readonly kvUsage: number;
  readonly usedBlocks: number;
  readonly totals: Readonly<Totals>;
}

/** What a simulated server is doing, for tests and for `GET /sim/state`. */
export interface ModelServerSnapshot extends LoadSnapshot {
  readonly engine: string;
  readonly model: string;
  /** Loaded adapters. */
  readonly loras: readonly string[];
  readonly runningLoras: readonly string[];
  readonly waitingLoras: readonly string[];
  readonly ranks: readonly LoadSnapshot[];
  /** How often it has restarted. */
  readonly restarts: number;
}

/** Takes the snapshot. */
export function snapshotOf(
  { engine, loras }: Simulation,
  identity: Pick<ModelServerSnapshot, "engine" | "model" | "restarts">,
): ModelServerSnapshot {
  const names = (state: "running" | "waiting"): readonly string[] =>
    [...new Set(engine.ranks.flatMap((rank) => [...rank.loras(state)]))].sort();
  return {
    ...identity,
    ...loadOf(combineLoads(engine.ranks)),
    loras: loras.list().map(({ name }) => name),
    runningLoras: names("running"),
    waitingLoras: names("waiting"),
    ranks: engine.ranks.map(loadOf),
  };
}

function loadOf({ running, waiting, kvUsage, usedBlocks, totals }: LoadView): LoadSnapshot {
  return { running, waiting, kvUsage, usedBlocks, totals: { ...totals } };
}
