import { MusterError } from "./errors.ts";
import { formatPlain } from "./plain-data.ts";

/**
 * What a model server measures. Every field is `undefined` while unknown: unknown is never 0, and
 * what is known is finite and not negative.
 */
export interface MetricsFields {
  /**
   * Model or adapter name to count, for those now on the GPU; presence is what matters. No
   * prototype, so any name is only data.
   */
  readonly activeModels: Readonly<Record<string, number>> | undefined;
  /** Model or adapter name to count, for those with requests waiting. */
  readonly waitingModels: Readonly<Record<string, number>> | undefined;
  /** How many adapters fit on the GPU at once. */
  readonly maxActiveModels: number | undefined;
  readonly runningRequestsSize: number | undefined;
  readonly waitingQueueSize: number | undefined;
  /** 0..1, despite the name, which is the original's. */
  readonly kvCacheUsagePercent: number | undefined;
  /** Tokens the KV cache holds. */
  readonly kvCacheMaxTokenCapacity: number | undefined;
  /** Tokens per block. */
  readonly cacheBlockSize: number | undefined;
  readonly cacheNumBlocks: number | undefined;
}

/** Name of one measured field. */
export type MetricsField = keyof MetricsFields;

/** The fields to replace; a field given as `undefined` becomes unknown. */
export type MetricsPatch = { readonly [Field in MetricsField]?: MetricsFields[Field] };

/** The latest measurements of one endpoint: an immutable value. */
export interface Metrics extends MetricsFields {
  /** When each known field was last read, ms since the epoch. */
  readonly readAt: Readonly<Partial<Record<MetricsField, number>>>;
  /** When anything was last read, ms since the epoch; `undefined` before. */
  readonly updateTime: number | undefined;
}

/** The names of all measured fields, in the order of the type. */
export const metricsFields: readonly MetricsField[] = Object.freeze([
  "activeModels",
  "waitingModels",
  "maxActiveModels",
  "runningRequestsSize",
  "waitingQueueSize",
  "kvCacheUsagePercent",
  "kvCacheMaxTokenCapacity",
  "cacheBlockSize",
  "cacheNumBlocks",
] as const);

const emptyMetrics: Metrics = Object.freeze({
  activeModels: undefined,
  waitingModels: undefined,
  maxActiveModels: undefined,
  runningRequestsSize: undefined,
  waitingQueueSize: undefined,
  kvCacheUsagePercent: undefined,
  kvCacheMaxTokenCapacity: undefined,
  cacheBlockSize: undefined,
  cacheNumBlocks: undefined,
  readAt: Object.freeze({}),
  updateTime: undefined,
});

/**
 * Metrics of which nothing is known, or with the given fields read at `now` (ms).
 *
 * @throws MusterError METRICS_INVALID, as {@link mergeMetrics}.
 */
export function createMetrics(fields: MetricsPatch = {}, now = 0): Metrics {
  return mergeMetrics(emptyMetrics, fields, now);
}

/**
 * A new value with the patch's fields replaced, each remembered as read at `now` (ms since the
 * epoch). An empty patch gives back `current`, so `updateTime` moves only if something was updated.
 *
 * @throws MusterError METRICS_INVALID, naming the field (`path`), for a value that is negative or not
 *   finite: one NaN would spoil every average and score it gets into.
 */
export function mergeMetrics(current: Metrics, patch: MetricsPatch, now: number): Metrics {
  const next: { -readonly [Field in keyof Metrics]: Metrics[Field] } = { ...current };
  const readAt: Partial<Record<MetricsField, number>> = { ...current.readAt };
  let changed = false;
  for (const field of metricsFields) {
    if (!(field in patch)) continue;
    const value = patch[field];
    changed = true;
    if (value === undefined) delete readAt[field];
    else readAt[field] = now;
    setField(next, field, value);
  }
  if (!changed) return current;
  next.readAt = Object.freeze(readAt);
  // forgetting a field is not a reading
  if (metricsFields.some((field) => patch[field] !== undefined)) next.updateTime = now;
  return Object.freeze(next);
}

/** Known fields on one line, for logs. */
export function formatMetrics(metrics: Metrics): string {
  const known = metricsFields.filter((field) => metrics[field] !== undefined);
  return known.map((field) => `${field}=${formatPlain(metrics[field])}`).join(" ") || "unknown";
}

function setField(
  target: { -readonly [Field in keyof MetricsFields]: MetricsFields[Field] },
  field: MetricsField,
  value: MetricsFields[MetricsField],
): void {
  if (value !== undefined && value !== target[field]) checkValue(field, value);
  const frozen = typeof value === "object" ? freezeCounts(value) : value;
  // one assignment for all fields: the patch's type has tied field and value together
  (target as Record<MetricsField, unknown>)[field] = frozen;
}

function checkValue(field: MetricsField, value: unknown): void {
  const isCounts = field === "activeModels" || field === "waitingModels";
  if (isCounts ? isRecord(value) && Object.values(value).every(isMeasure) : isMeasure(value))
    return;
  const what = isCounts ? "a record of finite numbers" : "a finite number";
  throw new MusterError(
    "METRICS_INVALID",
    `${field} ${formatPlain(value)} must be ${what} from 0; leave it out, or give undefined for unknown`,
    { path: field },
  );
}

function isMeasure(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function freezeCounts(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  if (Object.isFrozen(counts) && Object.getPrototypeOf(counts) === null) return counts;
  return Object.freeze(Object.assign(Object.create(null), counts));
}
