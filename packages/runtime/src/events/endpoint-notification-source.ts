import {
  definePlugin,
  type EndpointEvent,
  type EndpointSource,
  type PluginDefinition,
  type StandardSchema,
} from "@muster/core";
import { z } from "zod";

/** It has nothing to configure. */
export type EndpointNotificationConfig = Record<string, never>;

/** Configuration of {@link endpointNotificationSource}. */
export const endpointNotificationConfig: StandardSchema<EndpointNotificationConfig> =
  z.strictObject({}) as StandardSchema<EndpointNotificationConfig>;

/**
 * The built-in `endpoint-notification-source`: hands the coming and going of every endpoint on to its
 * extractors as it is.
 */
export const endpointNotificationSource: PluginDefinition<
  "source",
  EndpointSource,
  EndpointNotificationConfig
> = definePlugin({
  kind: "source",
  type: "endpoint-notification-source",
  description: "Gives endpoint extractors the coming and going of every endpoint.",
  configSchema: endpointNotificationConfig,
  create: (_config, { typedName }): EndpointSource => ({
    typedName,
    variant: "endpoint",
    notifyEndpoint: (event: EndpointEvent): EndpointEvent => event,
  }),
});
