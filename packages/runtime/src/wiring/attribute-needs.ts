import {
  definitionOf,
  formatTypedName,
  MusterError,
  type Plugin,
  producedAttributes,
} from "@muster/core";

/** A plugin and what it needs; `open` until everything it needs is there. */
interface Consumer {
  readonly plugin: Plugin;
  /** By required key, those who produce it. */
  readonly needs: ReadonlyMap<string, readonly Plugin[]>;
}

/**
 * Checks that every attribute a plugin requires is produced by one that does not, directly or by
 * others, wait for the first. A missing producer and a cycle are reported once each; whoever merely
 * depends on them is not.
 */
export function checkAttributeNeeds(plugins: readonly Plugin[]): MusterError[] {
  const unique = [...new Set(plugins)];
  const consumers = new Map(
    unique.map((plugin) => [plugin, { plugin, needs: needsOf(plugin, unique) }]),
  );
  const missing = [...consumers.values()].flatMap(({ plugin, needs }) =>
    [...needs].filter(([, by]) => by.length === 0).map(([key]) => missingProducer(plugin, key)),
  );
  return [...missing, ...cycles(consumers)];
}

function needsOf(plugin: Plugin, all: readonly Plugin[]): ReadonlyMap<string, readonly Plugin[]> {
  const consumed = definitionOf(plugin)?.consumes ?? [];
  const required = consumed.filter(({ optional }) => optional !== true);
  return new Map(
    required.map(({ key }) => [
      key.name,
      all.filter((other) => producedAttributes(other)?.has(key.name)),
    ]),
  );
}

/** Follows, from each plugin that can never be served, whom it waits for until one comes again. */
function cycles(consumers: ReadonlyMap<Plugin, Consumer>): MusterError[] {
  const unserved = unservable(consumers);
  const seen = new Set<Plugin>();
  const found: MusterError[] = [];
  for (const start of unserved) {
    const path: Plugin[] = [];
    let at: Plugin | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      at = waitsFor(consumers.get(at), unserved);
    }
    const first = at === undefined ? -1 : path.indexOf(at);
    if (first >= 0) found.push(cycle(path.slice(first)));
  }
  return found;
}

/** What is left when every plugin whose needs are met has been taken out, again and again. */
function unservable(consumers: ReadonlyMap<Plugin, Consumer>): Set<Plugin> {
  const open = new Set(consumers.keys());
  let before: number;
  do {
    before = open.size;
    for (const plugin of open) {
      const needs = [...(consumers.get(plugin)?.needs.values() ?? [])];
      if (needs.every((by) => by.some((producer) => !open.has(producer)))) open.delete(plugin);
    }
  } while (open.size < before);
  return open;
}

/** One producer that holds a plugin up; `undefined` when it lacks a producer altogether. */
function waitsFor(
  consumer: Consumer | undefined,
  unserved: ReadonlySet<Plugin>,
): Plugin | undefined {
  const blocked = [...(consumer?.needs.values() ?? [])].filter((by) =>
    by.every((producer) => unserved.has(producer)),
  );
  return blocked.some((by) => by.length === 0) ? undefined : blocked[0]?.[0];
}

function missingProducer({ typedName }: Plugin, key: string): MusterError {
  return new MusterError(
    "PLUGIN_ATTRIBUTES",
    `${formatTypedName(typedName)} requires the attribute "${key}", which no plugin produces; ` +
      "add one that declares it in `produces`",
    { plugin: typedName },
  );
}

function cycle(plugins: readonly Plugin[]): MusterError {
  const names = [...plugins, ...plugins.slice(0, 1)].map((p) => formatTypedName(p.typedName));
  return new MusterError(
    "PLUGIN_ATTRIBUTES",
    `plugins require each other's attributes: ${names.join(" needs ")}; make one of the needs optional`,
    { ...(plugins[0] && { plugin: plugins[0].typedName }) },
  );
}
