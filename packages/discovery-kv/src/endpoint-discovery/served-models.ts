import { MusterError } from "@muster/core";
import type { RegisteredAdapter, RegisteredModel, RegisteredModels } from "@muster/core/attributes";
import { type ModelInstance, readModelIdentity } from "@muster/core/plane";

/** Characters of a name or path. */
const maxLength = 1024;
/** Aliases of one model. */
const maxAliases = 100;
/** Models and adapters of one endpoint. */
export const maxModels = 1000;

/** What a record's card says of a model or an adapter. */
export interface ServedModel extends RegisteredAdapter {
  readonly adapter: boolean;
}

/**
 * Reads a model's record.
 *
 * @throws MusterError PLANE_CARD when the card does not say what the model is called, or says too much
 */
export function readModel(instance: ModelInstance): ServedModel {
  const { displayName: name, aliases, sourcePath = null, isLora } = readModelIdentity(instance);
  const suffix = instance.modelSuffix ?? null;
  const texts = [name, ...aliases, sourcePath ?? "", suffix ?? ""];
  if (aliases.length > maxAliases || texts.some((text) => text.length > maxLength))
    throw new MusterError(
      "PLANE_CARD",
      `model card: at most ${maxAliases} aliases, and ${maxLength} characters of a name or path`,
    );
  return { name, aliases: [...aliases].sort(), sourcePath, suffix, adapter: isLora };
}

/** The attribute of an endpoint with these models; undefined when it has none. */
export function registeredModelsOf(served: Iterable<ServedModel>): RegisteredModels | undefined {
  const models: RegisteredModel[] = [];
  const adapters: RegisteredAdapter[] = [];
  for (const { adapter, suffix, ...model } of served)
    if (adapter) adapters.push({ ...model, suffix });
    else models.push(model);
  if (models.length + adapters.length === 0) return undefined;
  return { models: models.sort(byName), adapters: adapters.sort(byName) };
}

/** Whatever order the records came in, the attribute is the same. */
function byName(a: RegisteredModel, b: RegisteredModel): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : Number(left > right);
}
