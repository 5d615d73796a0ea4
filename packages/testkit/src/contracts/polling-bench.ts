import {
  type DispatchResult,
  type ModelServer,
  type PollingExtractor,
  type PollingSource,
  typedName,
} from "@muster/core";
import type { FakeClock } from "../fakes/index.ts";
import type { Closable } from "./test-api.ts";
import { settled } from "./verify.ts";

/** A polling source without extractors, and a server to poll. */
export interface PollingSourceWorld<P> extends Closable {
  readonly source: PollingSource<P>;
  /** Its polls succeed until {@link fail} or {@link hang} is called. */
  readonly endpoint: ModelServer;
  /** Makes polls fail from now on. */
  fail(): void | Promise<void>;
  /** Makes polls succeed again. */
  recover(): void | Promise<void>;
  /** Makes polls wait for an answer that does not come. */
  hang(): void | Promise<void>;
  /** The clock the source runs by, when it is a fake one; else the suite waits for time-outs. */
  readonly clock?: FakeClock | undefined;
}

/** A world, and a dispatch that must not take for ever. */
export interface Bench<P> {
  readonly world: PollingSourceWorld<P>;
  readonly source: PollingSource<P>;
  readonly endpoint: ModelServer;
  dispatch(signal?: AbortSignal, endpoint?: ModelServer): Promise<DispatchResult>;
}

/** Puts a world on the bench. */
export function benchOf<P>(world: PollingSourceWorld<P>, patience: number): Bench<P> {
  const { source, endpoint } = world;
  return {
    world,
    source,
    endpoint,
    dispatch: (signal = new AbortController().signal, target = endpoint) =>
      settled(source.dispatch(target, { signal }), "dispatch", patience),
  };
}

/** An extractor that fits the source; by default it does nothing. */
export function extractor<P>(
  source: PollingSource<P>,
  name: string,
  extract: PollingExtractor<P>["extract"] = () => undefined,
): PollingExtractor<P> {
  const { payload } = source;
  return { typedName: typedName("testkit-extractor", name), variant: "polling", payload, extract };
}

/** Lets the time-outs of a fake clock come, step by step, until `running` is settled. */
export async function passTime<P>(
  world: PollingSourceWorld<P>,
  running: Promise<unknown>,
): Promise<void> {
  if (world.clock === undefined) return;
  let done = false;
  const mark = (): void => {
    done = true;
  };
  running.then(mark, mark);
  for (let step = 0; step < 600 && !done; step++) await world.clock.advance(100);
}

/** The name of an extractor. */
export function nameOf(value: { readonly name: string }): string {
  return value.name;
}
