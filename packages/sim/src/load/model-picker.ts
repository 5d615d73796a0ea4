import type { Agent } from "node:http";
import type { Clock } from "@muster/core";
import type { Random } from "../random.ts";
import { send } from "./http-client.ts";

/** How long a list of models is used before it is asked for again, ms. */
const maxAge = 10_000;

/** Chooses which model of a target a request is for. */
export interface ModelPicker {
  /**
   * The base model for two requests in five; else an adapter, one of which is the favourite for a
   * while. Rejects when the target cannot be asked.
   */
  pick(elapsed: number, signal: AbortSignal): Promise<string>;
}

/** What a picker needs. */
export interface ModelPickerOptions {
  readonly url: string;
  /** Unset: what the target lists. */
  readonly models: readonly string[] | undefined;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly random: Random;
  /** Ms after which the favourite adapter changes. */
  readonly period: number;
}

/** Makes a picker for one target. */
export function createModelPicker(options: ModelPickerOptions): ModelPicker {
  const { random, clock, period } = options;
  let listed = options.models;
  let listedAt = Number.NEGATIVE_INFINITY;
  const models = async (signal: AbortSignal): Promise<readonly string[]> => {
    if (options.models !== undefined) return options.models;
    if (listed === undefined || clock.monotonic() - listedAt > maxAge) {
      listedAt = clock.monotonic();
      listed = await listModels(options, signal);
    }
    return listed;
  };
  return {
    async pick(elapsed, signal) {
      // drawn before anything is waited for, so that the order of draws is the order of calls
      const [first, second, third] = [random.next(), random.next(), random.next()];
      const [base, ...adapters] = await models(signal);
      if (base === undefined) throw new Error(`${options.url} lists no models`);
      if (adapters.length === 0 || first < 0.4) return base;
      const favourite = Math.floor(elapsed / period) % adapters.length;
      const index = second < 0.5 ? favourite : Math.floor(third * adapters.length);
      return adapters[index] ?? base;
    },
  };
}

async function listModels(
  { url, agent }: ModelPickerOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { status, tail } = await send({ url: new URL("/v1/models", url), agent, signal });
  if (status !== 200) throw new Error(`${url}/v1/models answered ${status}`);
  const { data } = JSON.parse(tail) as { data?: readonly { id?: unknown }[] };
  return (data ?? []).map(({ id }) => id).filter((id): id is string => typeof id === "string");
}
