import type { StoreConfig } from "@muster/discovery-kv";

/** The configuration, as text, that follows a discovery plane with the default sources and extractors. */
export function planeConfig(store: StoreConfig, namespace: string | undefined): string {
  const parameters = { store, ...(namespace && { namespace }) };
  return JSON.stringify({
    apiVersion: "muster/v1",
    kind: "MusterConfig",
    plugins: [{ type: "kv-discovery", parameters }],
    discovery: { pluginRef: "kv-discovery" },
  });
}
