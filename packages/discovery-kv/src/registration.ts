import { MusterError, type PluginContext, toMusterError } from "@muster/core";
import {
  type Bucket,
  classifyDiscoveryChange,
  type DiscoveryInstance,
  decodeRecord,
  encodeInstance,
  findModelConflict,
  type KeyValueStore,
  type ModelInstance,
  planeBuckets,
  type WaitOptions,
} from "@muster/core/plane";
import { writtenThrough } from "./written-keys.ts";

/** How often a write is tried that others get in the way of. */
export const writeAttempts = 8;

/** What registering needs of the plane. */
export interface RegistrationHost {
  readonly store: KeyValueStore;
  readonly logger: PluginContext["logger"];
  /** The other models of an endpoint. */
  modelsBeside(model: ModelInstance, options: WaitOptions): Promise<readonly DiscoveryInstance[]>;
}

/** Whether this call made the record, and what is stored now. */
interface Stored {
  readonly created: boolean;
  readonly instance: DiscoveryInstance;
}

/** Registers a record; see `Discovery.register`. */
export async function registerRecord(
  instance: DiscoveryInstance,
  host: RegistrationHost,
  options: WaitOptions,
): Promise<DiscoveryInstance> {
  if (instance.type === "Model") return registerModel(instance, host, options);
  const { instance: stored } = await createOrRead(instance, host.store, options);
  if (instance.type === "EventSource" && !stored.equals(instance))
    throw new MusterError(
      "PLANE_CONFLICT",
      `event source ${instance.id().toPath()} is registered with another descriptor; unregister it first`,
    );
  return stored;
}

/** An optimistic check and a second look: no lock, so of two at once both may be refused. */
async function registerModel(
  model: ModelInstance,
  host: RegistrationHost,
  options: WaitOptions,
): Promise<DiscoveryInstance> {
  await checkConflict(model, host, options);
  const { created, instance } = await createOrRead(model, host.store, options);
  if (classifyDiscoveryChange(instance, model).type === "Rejected")
    throw new MusterError(
      "PLANE_CONFLICT",
      `another model is registered as ${model.id().toPath()}; unregister it first`,
    );
  try {
    await checkConflict(model, host, options);
  } catch (error) {
    if (created) await withdraw(model, host);
    throw error;
  }
  return instance;
}

async function checkConflict(
  model: ModelInstance,
  host: RegistrationHost,
  options: WaitOptions,
): Promise<void> {
  const conflict = findModelConflict(model, await host.modelsBeside(model, options));
  if (conflict !== undefined) throw conflict;
}

async function withdraw(model: ModelInstance, { store, logger }: RegistrationHost): Promise<void> {
  const id = model.id();
  try {
    await store.bucket(planeBuckets.Model).delete(id.toPath());
    writtenThrough(store).delete(id.key);
  } catch (error) {
    // what made us withdraw is what the caller has to hear of
    const problem = toMusterError(error, "INTERNAL").toJSON();
    logger.warn({ key: id.toPath(), error: problem }, "a refused model could not be withdrawn");
  }
}

async function createOrRead(
  instance: DiscoveryInstance,
  store: KeyValueStore,
  options: WaitOptions,
): Promise<Stored> {
  const id = instance.id();
  const path = id.toPath();
  const bucket = store.bucket(planeBuckets[instance.type]);
  const keys = writtenThrough(store);
  const value = encodeInstance(instance);
  for (let attempt = 0; attempt < writeAttempts; attempt++) {
    if (await bucket.create(path, value, options)) {
      keys.add(id.key);
      return { created: true, instance };
    }
    const present = await bucket.get(path, options);
    if (present === undefined) continue;
    const isOurs = instance.instanceId === store.connectionId;
    if (!isOurs || keys.has(id.key))
      return { created: false, instance: decodeRecord(instance.type, path, present) };
    if (await takeOver(bucket, { path, present, value }, options)) {
      keys.add(id.key);
      return { created: true, instance };
    }
  }
  throw new MusterError(
    "PLANE_CONFLICT",
    `${path} changed ${writeAttempts} times while it was to be registered; try again`,
  );
}

/**
 * What has our id and was not written by us is of an earlier life of ours: its address may be stale
 * and nobody keeps it alive. The same value becomes ours, another one goes.
 */
async function takeOver(
  bucket: Bucket,
  { path, present, value }: { path: string; present: string; value: string },
  options: WaitOptions,
): Promise<boolean> {
  if (present === value)
    return bucket.compareAndReplace(path, { expected: present, value }, options);
  await bucket.delete(path, options);
  return false;
}
