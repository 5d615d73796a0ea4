import {
  type AnyExtractor,
  attributeKey,
  type ConsumedAttribute,
  type DataSource,
  definePlugin,
  type EndpointDiscovery,
  type EndpointExtractor,
  type EndpointSource,
  type GroupVersionKind,
  type NotificationExtractor,
  type NotificationSource,
  type ObjectWatcher,
  type PayloadToken,
  type PendingRegistration,
  type Plugin,
  type PluginDefinition,
  type PollingExtractor,
  type PollingSource,
  payloadToken,
  type Registrant,
  type StandardSchema,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";

export const page: PayloadToken<string> = payloadToken("page");
export const pods: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };
export const nodes: GroupVersionKind = { group: "", version: "v1", kind: "Node" };

/** `type` or `type/name`. */
function named(name: string): Plugin["typedName"] {
  const [type = "", instance] = name.split("/");
  return typedName(type, instance);
}

export function pollingSource(
  name = "page-source",
  options: { payload?: string; interval?: number } = {},
): PollingSource<string> {
  const { payload = page.name, interval } = options;
  return createPollingDispatcher({
    typedName: named(name),
    payload: payloadToken<string>(payload),
    interval,
    poll: () => Promise.resolve("page"),
  });
}

export function notificationSource(
  name = "object-source",
  gvk: GroupVersionKind = pods,
): NotificationSource {
  return { typedName: named(name), variant: "notification", gvk, notify: (event) => event };
}

export function endpointSource(name = "endpoint-source"): EndpointSource {
  return { typedName: named(name), variant: "endpoint", notifyEndpoint: (event) => event };
}

export function pollingExtractor(
  name: string,
  payload: string = page.name,
): PollingExtractor<string> {
  const extract = (): void => undefined;
  const token = payloadToken<string>(payload);
  return {
    ...{ typedName: named(name), variant: "polling", payload: token, provides: "freshness" },
    extract,
  };
}

export function notificationExtractor(
  name: string,
  gvk: GroupVersionKind = pods,
): NotificationExtractor {
  const extract = (): void => undefined;
  return { typedName: named(name), variant: "notification", gvk, extract };
}

export function endpointExtractor(name: string): EndpointExtractor {
  return { typedName: named(name), variant: "endpoint", extract: () => undefined };
}

export function objectWatcher(name = "watcher"): ObjectWatcher {
  return { typedName: named(name), watch: async function* () {} };
}

export function discovery(name = "static-discovery"): EndpointDiscovery {
  return {
    typedName: named(name),
    start: () => Promise.resolve(),
    ready: () => Promise.resolve(),
  };
}

/** A plugin that registers what it is given. */
export function registrant(
  name: string,
  ...registrations: readonly Partial<PendingRegistration>[]
): Plugin & Registrant {
  const typed = named(name);
  return {
    typedName: typed,
    registerDependencies(registrar) {
      for (const registration of registrations)
        registrar.register({ owner: typed, ...registration } as PendingRegistration);
    },
  };
}

/** Accepts anything. */
export const anything: StandardSchema<unknown, unknown> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

/** A definition whose instances come from `make`. */
export function sourceDefinition(
  type: string,
  make: (name: string, config: unknown) => DataSource,
): PluginDefinition<"source"> {
  return definePlugin({
    kind: "source",
    type,
    configSchema: anything,
    create: (config, context) => make(`${type}/${context.typedName.name}`, config),
  });
}

/** An extractor that declares what it writes and reads. */
export function attributeExtractor(
  name: string,
  needs: { produces?: string[]; requires?: string[]; wants?: string[] },
): AnyExtractor {
  const [type = "", instance] = name.split("/");
  const consumed = (keys: string[] = [], optional = false): ConsumedAttribute[] =>
    keys.map((key) => ({ key: attributeKey<unknown>(key), optional }));
  return definePlugin({
    kind: "extractor",
    type,
    configSchema: anything,
    produces: (needs.produces ?? []).map((key) => attributeKey<unknown>(key)),
    consumes: [...consumed(needs.requires), ...consumed(needs.wants, true)],
    create: (_, context) => pollingExtractor(`${context.typedName.type}/${context.typedName.name}`),
  }).create({}, instance === undefined ? {} : { name: instance });
}
