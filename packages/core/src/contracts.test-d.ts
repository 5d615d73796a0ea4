/** What must not compile, does not; what should be inferred, is. Checked by `tsc`, never run. */
import { type LoraState, loraState } from "./attributes/index.ts";
import {
  type AnyExtractor,
  type AttributeMap,
  attributeKey,
  type DataSource,
  type DiscoveryNotifier,
  definePlugin,
  discovered,
  dynamicAttribute,
  type Endpoint,
  type EndpointDiscovery,
  type EndpointExtractor,
  type EndpointMetadata,
  type EndpointSource,
  type EndpointWriter,
  type ErrorCode,
  MusterError,
  type NotificationExtractor,
  type NotificationSource,
  type PendingRegistration,
  type PluginDefinition,
  type PluginInit,
  type PollingExtractor,
  type PollingSource,
  payloadToken,
  type StandardSchema,
  type TypedName,
} from "./index.ts";
import {
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "./prometheus/index.ts";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

declare const name: TypedName;
declare const metadata: EndpointMetadata;
declare const attributes: AttributeMap;
declare const endpoint: Endpoint;
declare const writer: EndpointWriter;
declare const notifier: DiscoveryNotifier;

export function attributeTypes(): void {
  holds<Equal<ReturnType<typeof readLora>, LoraState | undefined>>();
  attributes.put(loraState, { active: [], waiting: [], max: null, lastSeen: null });
  const size = attributeKey<number>("size");
  const five = dynamicAttribute(() => 5);
  const text = dynamicAttribute(() => "5");
  attributes.put(size, five);
  // @ts-expect-error a wrong attribute type
  attributes.put(size, "5");
  // @ts-expect-error a missing field
  attributes.put(loraState, { active: [], waiting: [], max: null });
  // @ts-expect-error a getter of a wrong type
  attributes.put(size, text);
  // @ts-expect-error a value read as another type
  const value: string | undefined = attributes.get(size);
  // @ts-expect-error writing needs a typed key
  attributes.put("size", 5);
  discovered(size, 5);
  // @ts-expect-error a discovered attribute of a wrong type
  discovered(size, "5");
  return void value;
}

function readLora() {
  return attributes.get(loraState);
}

export function valuesAreImmutable(): void {
  // @ts-expect-error readers cannot write attributes
  endpoint.attributes.put(loraState, undefined);
  // @ts-expect-error readers cannot write metrics
  endpoint.updateMetrics({});
  // @ts-expect-error metadata is readonly
  metadata.port = "1";
  // @ts-expect-error labels are readonly
  metadata.labels.zone = "a";
  // @ts-expect-error metrics are readonly
  endpoint.metrics.waitingQueueSize = 1;
  writer.updateMetrics({ waitingQueueSize: 1, kvCacheUsagePercent: undefined });
  // @ts-expect-error no such metric
  writer.updateMetrics({ waitingQueue: 1 });
  // @ts-expect-error a metric of a wrong type
  writer.updateMetrics({ waitingQueueSize: "1" });
  // @ts-expect-error updateTime is not a measurement
  writer.updateMetrics({ updateTime: 1 });
}

// @ts-expect-error unknown until known: never just a number
export const queue: number = endpoint.metrics.waitingQueueSize;

interface Page {
  readonly bytes: number;
}
const page = payloadToken<Page>("page");

export const extractor: PollingExtractor<Page> = {
  typedName: name,
  variant: "polling",
  payload: page,
  extract: ({ payload, endpoint: target }) =>
    target.updateMetrics({ waitingQueueSize: payload.bytes }),
};

export const wrongToken: PollingExtractor<Page> = {
  typedName: name,
  variant: "polling",
  // @ts-expect-error a wrong token
  payload: prometheusPage,
  extract: () => undefined,
};

// @ts-expect-error a missing field: payload
export const noToken: PollingExtractor<Page> = {
  typedName: name,
  variant: "polling",
  extract: () => undefined,
};

// @ts-expect-error a missing field: families
export const noFamilies: PrometheusExtractor = {
  typedName: name,
  variant: "polling",
  payload: prometheusPage,
  extract: () => undefined,
};

// @ts-expect-error a missing field: gvk
export const noKind: NotificationExtractor = {
  typedName: name,
  variant: "notification",
  extract: () => undefined,
};

export const wrongVariant: EndpointExtractor = {
  typedName: name,
  // @ts-expect-error an extractor of another variant
  variant: "polling",
  extract: () => undefined,
};

export function sources(
  polling: PollingSource<Page>,
  prometheus: PollingSource<PrometheusPage>,
  notification: NotificationSource,
  endpoints: EndpointSource,
): readonly DataSource[] {
  polling.appendExtractor(extractor);
  // @ts-expect-error an extractor of another payload
  prometheus.appendExtractor(extractor);
  // @ts-expect-error an extractor of another variant
  polling.appendExtractor(wrongVariant);
  // @ts-expect-error a reader cannot be polled into
  void polling.dispatch(endpoint, { signal: new AbortController().signal });
  // @ts-expect-error waiting needs a signal
  void polling.dispatch(writer);
  // @ts-expect-error no such variant
  const unknown: DataSource = { typedName: name, variant: "push" };
  return [polling, prometheus, notification, endpoints, unknown];
}

export const registrations: readonly PendingRegistration[] = [
  { owner: name, sourceType: "metrics-data-source", extractor },
  { owner: name, sourceType: "x", extractor, defaultSource: { type: "x", config: {} } },
  { owner: name, sourceType: "x", extractor, ifMissing: "warn" },
  // @ts-expect-error an extractor is required
  { owner: name, sourceType: "x" },
  // @ts-expect-error no such policy
  { owner: name, sourceType: "x", extractor, ifMissing: "ignore" },
];

interface Input {
  readonly size?: number | undefined;
}
interface Output {
  readonly size: number;
}
declare const optional: StandardSchema<Input, Output>;
declare const required: StandardSchema<Output, Output>;
const create = (config: Output): AnyExtractor & { size: number } => ({
  ...extractor,
  size: config.size,
});

export function definitions(): readonly PluginDefinition[] {
  const lenient = definePlugin({ kind: "extractor", type: "a", configSchema: optional, create });
  const strict = definePlugin({ kind: "extractor", type: "b", configSchema: required, create });
  holds<Equal<ReturnType<typeof lenient.create>, AnyExtractor & { size: number }>>();
  lenient.create();
  lenient.create({ size: 1 }, { name: "mine" });
  strict.create({ size: 1 });
  // @ts-expect-error a required configuration
  strict.create();
  // @ts-expect-error a missing key
  strict.create({});
  // @ts-expect-error a key of a wrong type
  lenient.create({ size: "1" });
  // @ts-expect-error an unknown key
  lenient.create({ sizes: 1 });
  // @ts-expect-error no such kind
  definePlugin({ kind: "sink", type: "c", configSchema: optional, create });
  // @ts-expect-error an extractor is no discovery
  definePlugin({ kind: "discovery", type: "c", configSchema: optional, create });
  const any: PluginDefinition = lenient;
  any.create({ whatever: true });
  return [lenient, strict];
}

// @ts-expect-error create is required
export const noCreate: PluginInit<"extractor", AnyExtractor, Input, Output> = {
  kind: "extractor",
  type: "a",
  configSchema: optional,
};

export const discovery: EndpointDiscovery = {
  typedName: name,
  async start(to, { signal }) {
    if (!signal.aborted) to.upsert(metadata);
  },
  ready: async () => undefined,
};

// @ts-expect-error a missing method: ready
export const neverReady: EndpointDiscovery = { typedName: name, start: async () => undefined };

export function reports(): void {
  // @ts-expect-error half of the metadata is not enough
  notifier.upsert({ namespacedName: metadata.namespacedName });
  // @ts-expect-error an id is a namespaced name
  notifier.delete("default/a");
}

export const codes: readonly ErrorCode[] = [
  "SCRAPE_TIMEOUT",
  "acme/BROKEN",
  // @ts-expect-error no code of ours, and without a vendor
  "SCRAPE_SLOW",
];
// @ts-expect-error an error needs a known code
export const coded: MusterError = new MusterError("OOPS", "x");
