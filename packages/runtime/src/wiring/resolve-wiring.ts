import { type AnyExtractor, formatTypedName, MusterError, type Plugin } from "@muster/core";
import { createPluginHost } from "../registry/plugin-host.ts";
import { checkAttributeNeeds } from "./attribute-needs.ts";
import { checkExtractor, checkPlugin } from "./check-plugin.ts";
import { planIntervals } from "./intervals.ts";
import { chooseObjectWatcher } from "./object-watcher.ts";
import { type PlannedSource, SourcePlan } from "./plan.ts";
import { RegistrationQueue } from "./registrations.ts";
import { RegistrationResolver } from "./resolve-registrations.ts";
import type { WiredSource, WiringInput, WiringResult } from "./wiring.ts";
import { wiringHints } from "./wiring-hints.ts";

/**
 * Works out which extractor runs on which source, and checks everything that can be checked before a
 * start. Asks every registrant among the plugins for its dependencies, so call it once per set of
 * plugins. Throws nothing, and binds nothing: when there are no problems, `applyWiring` does.
 */
export function resolveWiring(input: WiringInput): WiringResult {
  const problems: MusterError[] = [];
  const warnings: string[] = [];
  const discovery = distinct(input.discovery, { role: "discovery", methods: ["start", "ready"] });
  const plugins = distinct(input.plugins, { role: "plugin", methods: [] });
  problems.push(...discovery.problems, ...plugins.problems);
  const plan = new SourcePlan(problems);
  for (const binding of input.sources ?? []) plan.addConfigured(binding);
  const queue = new RegistrationQueue(problems);
  const configured = [...discovery.valid, ...plan.sources.flatMap(membersOf), ...plugins.valid];
  for (const plugin of configured) queue.ask(plugin);
  if ((input.sources ?? []).length === 0 && queue.made === 0) problems.push(empty());
  const { registry, host = createPluginHost(), interval } = input;
  const resolver = new RegistrationResolver({ plan, queue, problems, warnings, registry, host });
  const registrations = resolver.resolveAll();
  const { sources } = plan;
  const intervals = planIntervals({ interval, sources, problems, warnings });
  const failed = queue.accepted.filter((_, index) => registrations[index]?.outcome === "failed");
  problems.push(
    ...checkAttributeNeeds([
      ...[...configured, ...sources.flatMap(membersOf)],
      // what a problem kept out still counts: one fault gives one problem
      ...[...declaredExtractors(input), ...failed.map(({ extractor }) => extractor)],
    ]),
  );
  const chosen = chooseObjectWatcher(plugins.valid, sources);
  problems.push(...chosen.problems);
  const { watcher } = chosen;
  if (watcher === undefined && chosen.problems.length === 0)
    problems.push(...sources.flatMap(unwatched));
  const wiring = Object.freeze({
    discovery: discovery.valid,
    sources: sources.map((planned) => wire(planned, intervals.of.get(planned.source))),
    plugins: watcher && chosen.isDefault ? [...plugins.valid, watcher] : plugins.valid,
    objectWatcher: watcher,
    registrations,
    tick: intervals.tick,
    warnings: [...warnings, ...chosen.warnings, ...wiringHints(sources)],
  });
  return { wiring, problems };
}

interface Role {
  readonly role: string;
  readonly methods: readonly string[];
}

/** The plugins that can be used, and what is wrong with the others. */
function distinct<P extends Plugin>(
  given: readonly P[] = [],
  { role, methods }: Role,
): { valid: P[]; problems: MusterError[] } {
  const problems: MusterError[] = [];
  const valid = new Map<string, P>();
  for (const plugin of given) {
    const problem = checkPlugin(plugin, role, methods);
    if (problem !== undefined) problems.push(problem);
    else if (valid.has(formatTypedName(plugin.typedName))) problems.push(twice(plugin, role));
    else valid.set(formatTypedName(plugin.typedName), plugin);
  }
  return { valid: [...valid.values()], problems };
}

function twice({ typedName }: Plugin, role: string): MusterError {
  const text = `two ${role} plugins are called ${formatTypedName(typedName)}; give one another name`;
  return new MusterError("PLUGIN_DUPLICATE", text, { plugin: typedName });
}

function empty(): MusterError {
  return new MusterError(
    "RUNTIME_EMPTY",
    "no sources are configured and no plugin registers any: add a source and its extractors",
  );
}

function membersOf({ source, extractors }: PlannedSource): Plugin[] {
  return [source, ...extractors.map(({ extractor }) => extractor)];
}

function declaredExtractors({ sources = [] }: WiringInput): AnyExtractor[] {
  const declared = sources.flatMap(({ extractors = [] }) => extractors);
  return declared.filter((extractor) => checkExtractor(extractor) === undefined);
}

function unwatched({ source }: PlannedSource): MusterError[] {
  if (source.variant !== "notification") return [];
  const text =
    `source ${formatTypedName(source.typedName)} gets its events from an object watcher, and none is ` +
    "configured; add one, such as the one of @muster/discovery-k8s";
  return [new MusterError("SOURCE_MISSING", text, { plugin: source.typedName })];
}

function wire(
  { source, origin, owner, extractors }: PlannedSource,
  interval: number | undefined,
): WiredSource {
  return Object.freeze({
    source,
    origin,
    ...(owner && { owner }),
    ...(interval !== undefined && { interval }),
    extractors: Object.freeze(extractors.map((bound) => Object.freeze(bound))),
  });
}
