import { definePlugin, type EndpointDiscovery, type PluginDefinition } from "@muster/core";
import { configSchema, type FileDiscoveryConfig } from "./config.ts";
import { createFileDiscovery } from "./file-discovery.ts";

/**
 * Endpoints from a YAML or JSON file, followed while it changes. `start` rejects when the file cannot
 * be read (DISCOVERY_READ), is no such file (DISCOVERY_PARSE) or too large (DISCOVERY_TOO_LARGE);
 * once it is running a bad file is reported and the last good endpoints are kept.
 */
const fileDiscovery: PluginDefinition<"discovery", EndpointDiscovery, FileDiscoveryConfig> =
  definePlugin({
    kind: "discovery",
    type: "file-discovery",
    description: "Discovers endpoints from a YAML or JSON file, watched for changes.",
    configSchema,
    create: createFileDiscovery,
  });

export default fileDiscovery;
