import {
  type EndpointEvent,
  type EndpointExtractor,
  type EndpointWriter,
  type GroupVersionKind,
  MusterError,
  type NotificationEvent,
  type NotificationExtractor,
  type PluginContext,
  type Registrant,
  type Registrar,
  type TypedName,
  typedName,
} from "@muster/core";
import { cost } from "./cost.ts";

const pods: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };

/**
 * Remembers what each pod costs and writes it to the pod's endpoints. Pods and endpoints come in any
 * order, so it is done at two occasions: when the pod changes, for the endpoints that are there, and
 * when an endpoint comes or changes, from what is remembered.
 */
export class CostExtractor implements NotificationExtractor, Registrant {
  readonly variant = "notification";
  readonly gvk: GroupVersionKind = pods;
  readonly typedName: TypedName;
  readonly #annotation: string;
  readonly #context: PluginContext;
  /** By namespace and name of the pod; a pod without a price has no entry. */
  readonly #prices = new Map<string, number>();

  constructor(name: TypedName, annotation: string, context: PluginContext) {
    this.typedName = name;
    this.#annotation = annotation;
    this.#context = context;
  }

  /** Brings its sources along, so that naming the plugin in a configuration is enough. */
  registerDependencies(registrar: Registrar): void {
    const owner = this.typedName;
    registrar.register({
      ...{ owner, sourceType: "k8s-notification-source", extractor: this },
      defaultSource: { type: "k8s-notification-source", config: pods },
    });
    registrar.register({
      ...{ owner, sourceType: "endpoint-notification-source", extractor: this.arrivals() },
      defaultSource: { type: "endpoint-notification-source" },
    });
  }

  extract({ type, object }: NotificationEvent): void {
    const { namespace = "", name = "", annotations } = object.metadata ?? {};
    const text = type === "Delete" ? undefined : annotations?.[this.#annotation];
    const price = text === undefined ? undefined : readPrice(text);
    if (price === undefined || Number.isNaN(price)) this.#prices.delete(`${namespace}/${name}`);
    else this.#prices.set(`${namespace}/${name}`, price);
    for (const { id } of this.#context.endpoints.byPod(namespace, name))
      this.#write(this.#context.endpoints.writer(id));
    if (Number.isNaN(price))
      throw new MusterError("acme/PRICE", `${this.#annotation} of ${name} is no price: ${text}`);
  }

  /** The half that is told of endpoints. */
  arrivals(): EndpointExtractor {
    return {
      typedName: typedName("acme-cost-arrivals", this.typedName.name),
      variant: "endpoint",
      produces: [cost],
      extract: ({ type, endpoint }: EndpointEvent) => {
        if (type === "AddOrUpdate") this.#write(endpoint);
      },
    };
  }

  #write(endpoint: EndpointWriter | undefined): void {
    if (endpoint === undefined) return;
    const { namespacedName, podName } = endpoint.metadata;
    const perHour = this.#prices.get(`${namespacedName.namespace}/${podName}`);
    if (perHour === undefined) endpoint.attributes.delete(cost);
    else endpoint.attributes.put(cost, { perHour });
  }
}

/** NaN for what is no price. */
function readPrice(text: string): number {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
}
