/** A field of an endpoint's metrics that this package reads. */
export type EngineField =
  | "waitingQueueSize"
  | "runningRequestsSize"
  | "kvCacheUsagePercent"
  | "cacheBlockSize"
  | "cacheNumBlocks"
  | "kvCacheMaxTokenCapacity";

/** All of them, in the order of the type. */
export const engineFields: readonly EngineField[] = Object.freeze([
  "waitingQueueSize",
  "runningRequestsSize",
  "kvCacheUsagePercent",
  "cacheBlockSize",
  "cacheNumBlocks",
  "kvCacheMaxTokenCapacity",
] satisfies EngineField[]);

/** A number in a label of an info metric, such as `block_size` of `vllm:cache_config_info`. */
export interface LabelSource {
  readonly spec: string;
  readonly label: string;
}

/** A scalar of the engine that becomes an attribute. */
export interface CustomMetric {
  /** Name of the attribute. */
  readonly attributeKey: string;
  readonly metricSpec: string;
}

/** How to read one engine's pages: plain data, specs as `name{label=value}`. */
export interface EngineDefinition {
  /** What an endpoint's engine label says. */
  readonly name: string;
  /** Where each field is. Names change between versions: the first that a page has wins. */
  readonly fields: Readonly<Partial<Record<EngineField, readonly (string | LabelSource)[]>>>;
  /** Metrics that tell the engine from others although they measure nothing wanted here. */
  readonly markers?: readonly string[] | undefined;
  /** Labels of a data-parallel rank; default `engine` and `dp_rank`. Series are added over them. */
  readonly rankLabels?: readonly string[] | undefined;
  /** Labels that tell apart the models on one page; default none. Series are added over them. */
  readonly modelLabels?: readonly string[] | undefined;
  readonly customMetrics?: readonly CustomMetric[] | undefined;
  /** Default true; `false`: only for endpoints that name the engine, its pages look like another's. */
  readonly detected?: boolean | undefined;
}
