import { MusterError } from "@muster/core";
import {
  checkSpec,
  type DiscoverySpec,
  findModelConflict,
  fromModel,
  fromModelWithSuffix,
  type RawJson,
  type TransportType,
  withInstanceId,
} from "@muster/core/plane";
import { adapterCard, slugify } from "./card.ts";

/** One server as it is to be registered: an endpoint, its model and its adapters. */
export interface ServerRecords {
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  /** The transport may hold the id, which the store decides. */
  readonly transport: (instanceId: bigint) => TransportType;
  readonly deviceType?: string | undefined;
  readonly card?: RawJson | undefined;
  /** Names of LoRA adapters; need a card. */
  readonly loras: readonly string[];
}

/**
 * What to register, the endpoint first: a model is not to be seen before it can be reached. What could
 * not be registered is refused here, before any of it is written.
 *
 * @throws MusterError PLANE_CARD, PLANE_NAME, PLANE_RECORD, PLANE_CONFLICT for models that do not fit
 *   together, USAGE for adapters without a model and for two that would share a key.
 */
export function specsOf(server: ServerRecords, instanceId: bigint): readonly DiscoverySpec[] {
  const { namespace, component, endpoint, deviceType, card, loras } = server;
  const place = { namespace, component, endpoint };
  const transport = server.transport(instanceId);
  const first: DiscoverySpec = { type: "Endpoint", ...place, transport, deviceType };
  if (card === undefined) {
    if (loras.length === 0) return checked([first], instanceId);
    throw new MusterError("USAGE", "--lora needs the base model: give --model or --card");
  }
  const adapters = [...adaptersBySlug(loras)].map(([modelSuffix, name]) =>
    fromModelWithSuffix({ ...place, card: adapterCard(card, name), modelSuffix }),
  );
  return checked([first, fromModel({ ...place, card }), ...adapters], instanceId);
}

function checked(specs: readonly DiscoverySpec[], instanceId: bigint): readonly DiscoverySpec[] {
  for (const spec of specs) checkSpec(spec);
  const instances = specs.map((spec) => withInstanceId(spec, instanceId));
  for (const instance of instances) {
    const conflict = instance.type === "Model" ? findModelConflict(instance, instances) : undefined;
    if (conflict !== undefined) throw conflict;
  }
  return specs;
}

function adaptersBySlug(names: readonly string[]): ReadonlyMap<string, string> {
  const bySlug = new Map<string, string>();
  for (const name of names) {
    const slug = slugify(name);
    const other = bySlug.get(slug);
    if (slug === "")
      throw new MusterError("PLANE_NAME", `the adapter "${name}" has no letter or digit`);
    if (other !== undefined)
      throw new MusterError(
        "USAGE",
        `the adapters "${other}" and "${name}" would have the same key, "${slug}": rename one`,
      );
    bySlug.set(slug, name);
  }
  return bySlug;
}
