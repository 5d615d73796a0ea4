import { didYouMean, suggest } from "../registry/suggest.ts";
import { isDataLayerType, wellKnownTypes } from "../registry/well-known.ts";
import { defaultServer, endpointPickerSchema } from "./envelope.ts";
import { type PluginEntry, type ReadConfig, readOutline, record } from "./outline.ts";
import type { Report } from "./report.ts";
import { validateSection } from "./validate-section.ts";

/** Sections of llm-d's format that concern the data layer; `data` is what older files call it. */
const ownSections: readonly string[] = [
  "$schema",
  "apiVersion",
  "kind",
  "plugins",
  "discovery",
  "dataLayer",
  "data",
];

/** Between polls, for sources that give none: llm-d's. */
const defaultInterval = "50ms";

/** Reads a file of llm-d's. What concerns scheduling is left alone; unknown keys are warned of. */
export function readEndpointPickerConfig(value: unknown, report: Report): ReadConfig {
  const root = record(value);
  const own = Object.fromEntries(Object.entries(root).filter(([key]) => ownSections.includes(key)));
  validateSection(own, { schema: endpointPickerSchema, report, unknownKeys: "warn" });
  const layer = root.dataLayer === undefined && root.data !== undefined ? "data" : "dataLayer";
  if (root.discovery === undefined && record(root[layer]).discovery === undefined)
    report.warning(
      [],
      "no discovery is configured, so no endpoints are found: where llm-d would watch the pods of " +
        "its pool, Muster needs discovery.pluginRef",
    );
  const outline = readOutline(own, layer);
  // `package` is not part of this format: what llm-d would not load is not loaded
  const plugins = outline.plugins.map((entry) => ({ ...entry, package: undefined }));
  return {
    outline: { ...outline, plugins },
    settings: { interval: defaultInterval, server: defaultServer() },
  };
}

/** What of a file is not used, each thing named once. */
export interface UnusedParts {
  readonly value: unknown;
  /** Plugins whose type nobody knows and to which the data layer does not refer. */
  readonly plugins: readonly PluginEntry[];
  readonly known: readonly string[];
  readonly report: Report;
}

/** Warns once of everything that belongs to scheduling, and of what may be a slip of the pen. */
export function warnOfUnusedParts({ value, plugins, known, report }: UnusedParts): void {
  const sections = Object.keys(record(value)).filter((key) => !ownSections.includes(key));
  const types = new Set<string>();
  for (const { type, path } of plugins) {
    const near = suggest(type, [...known, ...wellKnownTypes()], { most: 2 });
    if (near === undefined && !isDataLayerType(type)) types.add(type);
    else {
      const hint = near === undefined ? ": it is not installed" : ` (did you mean "${near}"?)`;
      report.warning([...path, "type"], `plugin type "${type}" is not used${hint}`);
    }
  }
  const parts = [
    ...(sections.length > 0 ? [`sections ${sections.map(hinted).join(", ")}`] : []),
    ...(types.size > 0 ? [`plugin types ${[...types].join(", ")}`] : []),
  ];
  if (parts.length > 0)
    report.warning([], `not used, since Muster does not schedule: ${parts.join("; ")}`);
}

function hinted(section: string): string {
  return `${section}${didYouMean(section, ownSections)}`;
}
