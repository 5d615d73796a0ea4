import { Histogram } from "./histogram.ts";

/** Buckets of prometheus-fastapi-instrumentator, which vLLM mounts. */
const fineBounds = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 7.5, 10, 30,
  60,
];
const coarseBounds = [0.1, 0.5, 1];

/** A request that was answered. */
export interface AnsweredRequest {
  /** The route, or `none` for an unknown path. */
  readonly handler: string;
  readonly method: string;
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly seconds: number;
}

/** Count and sum of one handler. */
export interface SizeSummary {
  count: number;
  sum: number;
}

/** The HTTP requests a server has answered, as far as its page shows them. */
export class HttpTraffic {
  /** By handler, method and status class, in order of appearance. */
  readonly requests: Map<string, { labels: [string, string, string]; count: number }> = new Map();
  readonly requestSizes: Map<string, SizeSummary> = new Map();
  readonly responseSizes: Map<string, SizeSummary> = new Map();
  readonly durations: Map<string, { labels: [string, string]; histogram: Histogram }> = new Map();
  readonly allDurations: Histogram = new Histogram(fineBounds);
  /** Answers of 400 and above, by status. */
  readonly errors: Map<string, number> = new Map();
  /** Grows with every request. */
  revision = 0;

  static readonly fineBounds: readonly number[] = fineBounds;
  static readonly coarseBounds: readonly number[] = coarseBounds;

  record(request: AnsweredRequest): void {
    const { handler, method, status, seconds } = request;
    this.revision++;
    const statusClass = `${Math.floor(status / 100)}xx`;
    const requestKey = `${method} ${handler} ${statusClass}`;
    const counted = this.requests.get(requestKey);
    if (counted) counted.count++;
    else this.requests.set(requestKey, { labels: [handler, method, statusClass], count: 1 });
    addSize(this.requestSizes, handler, request.requestBytes);
    addSize(this.responseSizes, handler, request.responseBytes);
    this.allDurations.observe(seconds);
    const durationKey = `${method} ${handler}`;
    let duration = this.durations.get(durationKey);
    if (duration === undefined) {
      duration = { labels: [handler, method], histogram: new Histogram(coarseBounds) };
      this.durations.set(durationKey, duration);
    }
    duration.histogram.observe(seconds);
    if (status >= 400) this.errors.set(`${status}`, (this.errors.get(`${status}`) ?? 0) + 1);
  }
}

function addSize(sizes: Map<string, SizeSummary>, handler: string, bytes: number): void {
  const summary = sizes.get(handler);
  if (summary === undefined) sizes.set(handler, { count: 1, sum: bytes });
  else {
    summary.count++;
    summary.sum += bytes;
  }
}
