/** Plugin types that packages of ours provide, so that an unknown type can say what to install. */
const packages: ReadonlyMap<string, string> = new Map([
  ["file-discovery", "@muster/discovery-file"],
  ["kv-discovery", "@muster/discovery-kv"],
  ["k8s-discovery", "@muster/discovery-k8s"],
  ["k8s-notification-source", "@muster/discovery-k8s"],
  ["k8s-object-watcher", "@muster/discovery-k8s"],
  ["metrics-data-source", "@muster/source-prometheus"],
  ["core-metrics-extractor", "@muster/extractors-metrics"],
  ["lora-extractor", "@muster/extractors-lora"],
  ["endpoint-notification-source", "@muster/runtime"],
]);

/** Data-layer types of llm-d that no package of ours provides yet. */
const planned: ReadonlySet<string> = new Set([
  "models-data-source",
  "models-data-extractor",
  "topology-extractor",
  "dcgm-data-source",
  "dcgm-extractor",
]);

/** The package of ours that provides a plugin type. */
export function packageOf(type: string): string | undefined {
  return packages.get(type);
}

/** Whether a type belongs to llm-d's or our data layer, installed or not. */
export function isDataLayerType(type: string): boolean {
  return packages.has(type) || planned.has(type);
}

/** All well-known types, for suggestions. */
export function wellKnownTypes(): string[] {
  return [...packages.keys(), ...planned];
}
