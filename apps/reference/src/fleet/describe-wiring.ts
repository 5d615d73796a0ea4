import { formatTypedName, hostPort } from "@muster/core";
import type { LoadedConfig, WiredSource, Wiring } from "@muster/runtime";
import type { ServerSettings } from "./server-settings.ts";

/** What {@link describeWiring} describes. */
export interface WiringView {
  readonly loaded: LoadedConfig;
  readonly wiring: Wiring;
  readonly server: ServerSettings;
}

/** Who feeds whom, as text: discovery -> store, source <- extractors, and why each is there. */
export function describeWiring({ loaded, wiring, server }: WiringView): string {
  const places = new Map(
    loaded.plugins.map((plugin) => [formatTypedName(plugin.typedName), originOf(plugin)]),
  );
  const why = (name: string): string => places.get(name) ?? "made by the runtime";
  const lines = [
    `${loaded.kind}, valid`,
    "",
    "discovery -> store",
    ...wiring.discovery.map(({ typedName }) => {
      const name = formatTypedName(typedName);
      return `  ${name}  (${why(name)})`;
    }),
    "",
    "source <- extractors",
    ...wiring.sources.flatMap((source) => sourceLines(source, why)),
    ...registrationLines(wiring),
    ...watcherLines(wiring, places),
    ...wiring.warnings.map((warning) => `warning: ${warning}`),
    "",
    `server  http://${hostPort(server.host, String(server.port))}, ${server.token === undefined ? "no token" : "token asked for"}`,
  ];
  return `${lines.join("\n")}\n`;
}

function sourceLines(source: WiredSource, why: (name: string) => string): string[] {
  const name = formatTypedName(source.source.typedName);
  const reason =
    source.origin === "default" && source.owner
      ? `default source, asked for by ${formatTypedName(source.owner)}`
      : why(name);
  const every = source.interval === undefined ? "" : ` every ${source.interval} ms`;
  const extractors = source.extractors.map(({ extractor, origin, owner }) => {
    const own = formatTypedName(extractor.typedName);
    const by = origin === "registered" ? `registered by ${formatTypedName(owner)}` : why(own);
    return `    <- ${own}  (${by})`;
  });
  return [`  ${name}${every}  (${reason})`, ...extractors];
}

/** Where the notification sources get their events from, which the configuration need not say. */
function watcherLines(
  { objectWatcher, sources }: Wiring,
  places: ReadonlyMap<string, string>,
): string[] {
  if (objectWatcher === undefined) return [];
  const name = formatTypedName(objectWatcher.typedName);
  const bringer = sources.find(
    ({ source }) => source.variant === "notification" && source.defaultWatcher === objectWatcher,
  );
  const brought = bringer && `brought by ${formatTypedName(bringer.source.typedName)}`;
  return [
    "",
    "object watcher -> notification sources",
    `  ${name}  (${brought ?? places.get(name)})`,
  ];
}

/** Registrations that bound nothing are easily overlooked, so each is named. */
function registrationLines(wiring: Wiring): string[] {
  return wiring.registrations
    .filter(({ outcome }) => outcome === "yielded" || outcome === "skipped")
    .map(({ owner, extractor, sourceType, outcome }) => {
      const what = `${formatTypedName(extractor)} on ${sourceType}, registered by ${formatTypedName(owner)}`;
      return outcome === "yielded"
        ? `  ${what}: the configuration binds one of its type already`
        : `  ${what}: skipped, no such source is configured`;
    });
}

function originOf(plugin: LoadedConfig["plugins"][number]): string {
  const from = plugin.package === undefined ? "" : `, package ${plugin.package}`;
  return plugin.place === undefined ? "added by injectDefaults" : `${plugin.place}${from}`;
}
