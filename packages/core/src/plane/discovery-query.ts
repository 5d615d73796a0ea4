import type { EventScope } from "./event-types.ts";

/**
 * What to list or watch. Names are compared whole: namespace `ns1` never includes `ns10`. The eight
 * of the original, then event channels and sources by exact scope and topic.
 */
export type DiscoveryQuery =
  | { readonly type: "AllEndpoints" }
  | { readonly type: "NamespacedEndpoints"; readonly namespace: string }
  | {
      readonly type: "ComponentEndpoints";
      readonly namespace: string;
      readonly component: string;
    }
  | {
      readonly type: "Endpoint";
      readonly namespace: string;
      readonly component: string;
      readonly endpoint: string;
    }
  | { readonly type: "AllModels" }
  | { readonly type: "NamespacedModels"; readonly namespace: string }
  | { readonly type: "ComponentModels"; readonly namespace: string; readonly component: string }
  | {
      readonly type: "EndpointModels";
      readonly namespace: string;
      readonly component: string;
      readonly endpoint: string;
    }
  | {
      readonly type: "EventChannels" | "EventSources";
      readonly scope?: EventScope | undefined;
      readonly topic?: string | undefined;
    };
