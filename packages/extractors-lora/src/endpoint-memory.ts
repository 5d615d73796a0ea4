import type { EndpointWriter, MusterError } from "@muster/core";
import { type LoraState, loraState } from "@muster/core/attributes";
import { type AdapterLabels, adapterLabels, countsOf, parseAdapters } from "./adapters.ts";
import type { NewestSeries } from "./newest-series.ts";

/** Polls in a row without the metric after which no adapter is left; section 9 of the behaviour. */
const pollsToEmpty = 3;

const empty: LoraState = Object.freeze({ active: [], waiting: [], max: null, lastSeen: null });

/** What labels were last read as, so that equal ones cost no more than a comparison. */
interface Read {
  readonly labels: AdapterLabels;
  /** As the endpoint stores it: putting its lists again copies nothing. */
  readonly state: LoraState;
  readonly activeModels: Readonly<Record<string, number>>;
  readonly waitingModels: Readonly<Record<string, number>>;
  readonly problem: MusterError | undefined;
}

/** What is remembered of one endpoint between its polls. */
export class EndpointMemory {
  #last: Read | undefined;
  #misses = 0;

  /**
   * Writes what a series says.
   *
   * @throws MusterError EXTRACT_FAILED after writing, when part of it makes no sense.
   */
  apply(endpoint: EndpointWriter, { sample, lastSeen }: NewestSeries): void {
    this.#misses = 0;
    const read = this.#read(adapterLabels(sample));
    const { activeModels, waitingModels, problem } = read;
    const next = { ...read.state, lastSeen };
    const maxActiveModels = next.max ?? undefined;
    endpoint.updateMetrics({ activeModels, waitingModels, maxActiveModels });
    if (!isSame(endpoint.attributes.get(loraState), next)) {
      endpoint.attributes.put(loraState, next);
      this.#last = { ...read, state: endpoint.attributes.get(loraState) ?? next };
    }
    if (problem !== undefined) throw problem;
  }

  /** Notes a page without the metric. Whether the endpoint's state turned empty by it. */
  miss(endpoint: EndpointWriter): boolean {
    this.#misses = Math.min(this.#misses + 1, pollsToEmpty);
    const current = endpoint.attributes.get(loraState);
    if (this.#misses < pollsToEmpty || current === undefined || isEmpty(current)) return false;
    const none = countsOf([]);
    endpoint.updateMetrics({
      activeModels: none,
      waitingModels: none,
      maxActiveModels: undefined,
    });
    endpoint.attributes.put(loraState, empty);
    return true;
  }

  #read(labels: AdapterLabels): Read {
    const last = this.#last;
    if (
      last !== undefined &&
      last.labels.running === labels.running &&
      last.labels.waiting === labels.waiting &&
      last.labels.max === labels.max
    )
      return last;
    const { active, waiting, max, problem } = parseAdapters(labels);
    return {
      labels,
      state: { active, waiting, max, lastSeen: null },
      activeModels: countsOf(active),
      waitingModels: countsOf(waiting),
      problem,
    };
  }
}

function isSame(a: LoraState | undefined, b: LoraState): boolean {
  return (
    a !== undefined &&
    a.active === b.active &&
    a.waiting === b.waiting &&
    a.max === b.max &&
    a.lastSeen === b.lastSeen
  );
}

function isEmpty({ active, waiting, max, lastSeen }: LoraState): boolean {
  return active.length === 0 && waiting.length === 0 && max === null && lastSeen === null;
}
