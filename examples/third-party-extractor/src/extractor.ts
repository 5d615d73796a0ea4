import { MusterError, type PollInput, type TypedName } from "@muster/core";
import {
  type MetricFamily,
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import { firstToken } from "./first-token.js";

interface Totals {
  readonly seconds: number;
  readonly requests: number;
}

/** Compares a histogram's totals with those of the poll before. */
export class FirstTokenExtractor implements PrometheusExtractor {
  readonly variant = "polling";
  readonly payload = prometheusPage;
  readonly families: readonly string[];
  readonly typedName: TypedName;
  /** What each endpoint said last; `release` keeps it from growing. */
  readonly #before = new Map<string, Totals>();

  constructor(typedName: TypedName, family: string) {
    this.typedName = typedName;
    this.families = [family];
  }

  extract({ payload, endpoint }: PollInput<PrometheusPage>): void {
    const [name = ""] = this.families;
    const family = payload.family(name);
    if (family === undefined) throw new MusterError("EXTRACT_MISSING", `${name} is missing`);
    const now = totals(family);
    const before = this.#before.get(endpoint.id);
    this.#before.set(endpoint.id, now);
    // a server that restarted counts from zero again
    const known = before !== undefined && now.requests >= before.requests;
    const requests = known ? now.requests - before.requests : 0;
    const meanSeconds = known && requests > 0 ? (now.seconds - before.seconds) / requests : null;
    endpoint.attributes.put(firstToken, { meanSeconds, requests });
  }

  release(endpointId: string): void {
    this.#before.delete(endpointId);
  }
}

/** Over all series: a server with several ranks has one for each. */
function totals({ name, samples }: MetricFamily): Totals {
  let seconds = 0;
  let requests = 0;
  for (const sample of samples) {
    if (sample.name === `${name}_sum`) seconds += sample.value;
    if (sample.name === `${name}_count`) requests += sample.value;
  }
  return { seconds, requests };
}
