import {
  type Discovery,
  type DiscoveryEvent,
  type DiscoveryQuery,
  type DiscoverySpec,
  type DiscoveryStream,
  fromModelWithSuffix,
} from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";

export const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };
export const instances: DiscoveryQuery = { type: "AllEndpoints" };
export const models: DiscoveryQuery = { type: "AllModels" };

export function endpoint(tcp = "10.0.0.5:41234/2a/generate"): DiscoverySpec {
  return { type: "Endpoint", ...place, transport: { tcp } };
}

export function model(card: unknown, modelSuffix?: string): DiscoverySpec {
  return fromModelWithSuffix({ ...place, card, modelSuffix });
}

/** A plane on memory, and somebody else's hands on its store. */
export interface PlaneWorld {
  readonly plane: Discovery;
  /** Another worker. */
  readonly other: Discovery;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly meter: ReturnType<typeof createRecordingMeter>;
  /** Writes whatever it is. */
  lay(bucket: string, key: string, value: string): Promise<void>;
  take(bucket: string, key: string): Promise<void>;
}

export function planeWorld(): PlaneWorld {
  const registry = createMemoryRegistry();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const store = (connectionId: bigint) => createMemoryStore({ registry, connectionId });
  const hands = store(1n);
  return {
    plane: createKvDiscovery(store(0x694d8a1b2c3d4e5fn), { context: { logger, metrics: meter } }),
    other: createKvDiscovery(store(2n)),
    logger,
    meter,
    async lay(name, key, value) {
      const bucket = hands.bucket(name);
      const expected = await bucket.get(key);
      if (expected === undefined) await bucket.create(key, value);
      else await bucket.compareAndReplace(key, { expected, value });
    },
    async take(name, key) {
      await hands.bucket(name).delete(key);
    },
  };
}

export async function read(stream: DiscoveryStream, count: number): Promise<DiscoveryEvent[]> {
  const events: DiscoveryEvent[] = [];
  while (events.length < count) {
    const { value, done } = await stream.next();
    if (done === true) throw new Error("the stream ended");
    events.push(value);
  }
  return events;
}

/** Events as one line each: what is added with its address or card, what is removed by its key. */
export function told(events: readonly DiscoveryEvent[]): string[] {
  return events.map(line);
}

function line(event: DiscoveryEvent): string {
  switch (event.type) {
    case "Added": {
      const { instance } = event;
      if (instance.type === "Endpoint") return `+ ${Object.values(instance.transport)[0]}`;
      return `+ ${instance.type === "Model" ? instance.cardJson.text : instance.id().key}`;
    }
    case "Removed":
      return `- ${event.id.key}`;
    case "ModelTaintsUpdated":
      return `~ ${event.taints.join()}`;
    case "Resync":
      return `= ${event.instances.length}`;
  }
}
