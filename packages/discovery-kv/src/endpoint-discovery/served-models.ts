import { MusterError } from "@muster/core";
import type { RegisteredAdapter, RegisteredModel, RegisteredModels } from "@muster/core/attributes";
import { type ModelInstance, readModelIdentity } from "@muster/core/plane";

/** Characters of a name or path. */
const maxLength = 1024;
/** Aliases of one model. */
const maxAliases = 100;

/** What a record's card says of a model or an adapter. */
export type ServedModel =
  | { readonly adapter: false; readonly model: RegisteredModel }
  | { readonly adapter: true; readonly model: RegisteredAdapter };

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
  const model = { name, aliases: [...aliases].sort(), sourcePath };
  return isLora ? { adapter: true, model: { ...model, suffix } } : { adapter: false, model };
}

/** The attribute of an endpoint with these models; undefined when it has none. */
export function registeredModelsOf(served: Iterable<ServedModel>): RegisteredModels | undefined {
  const models: RegisteredModel[] = [];
  const adapters: RegisteredAdapter[] = [];
  for (const each of served)
    if (each.adapter) adapters.push(each.model);
    else models.push(each.model);
  if (models.length + adapters.length === 0) return undefined;
  return { models: models.sort(byName), adapters: adapters.sort(byName) };
}

/** Whether two attributes are of the same models; of equal ones only when they are the same objects. */
export function sameModels(
  a: RegisteredModels | undefined,
  b: RegisteredModels | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  return sameItems(a.models, b.models) && sameItems(a.adapters, b.adapters);
}

function sameItems(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** Whatever order the records came in, the attribute is the same. */
function byName(a: RegisteredModel, b: RegisteredModel): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : Number(left > right);
}
