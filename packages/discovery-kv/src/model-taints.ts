import { MusterError } from "@muster/core";
import {
  type DiscoveryInstance,
  decodeRecord,
  encodeInstance,
  type KeyValueStore,
  type ModelCardInstanceId,
  planeBuckets,
  type WaitOptions,
  withTaints,
} from "@muster/core/plane";
import { writeAttempts } from "./registration.ts";

/** Replaces the taints of our own base model; see `Discovery.updateModelTaints`. */
export async function replaceTaints(
  store: KeyValueStore,
  { id, taints }: { readonly id: ModelCardInstanceId; readonly taints: readonly string[] },
  options: WaitOptions,
): Promise<DiscoveryInstance> {
  const key = id.toPath();
  if (id.instanceId !== store.connectionId)
    throw new MusterError(
      "PLANE_TAINT",
      `${key} is another worker's model: only it sets its taints`,
    );
  if (id.modelSuffix !== undefined)
    throw new MusterError("PLANE_TAINT", `${key} is an adapter: taint its base model`);
  const bucket = store.bucket(planeBuckets.Model);
  for (let attempt = 0; attempt < writeAttempts; attempt++) {
    const expected = await bucket.get(key, options);
    if (expected === undefined)
      throw new MusterError("NOT_FOUND", `model ${key} is not registered`, { path: key });
    const model = decodeRecord("Model", key, expected);
    if (model.type !== "Model") break;
    const tainted = withTaints(model, taints);
    const value = encodeInstance(tainted);
    if (value === expected || (await bucket.compareAndReplace(key, { expected, value }, options)))
      return tainted;
  }
  throw new MusterError(
    "PLANE_CONFLICT",
    `model ${key} changed ${writeAttempts} times while its taints were replaced; try again`,
  );
}
