import {
  DiscoveryMetadata,
  fromModel,
  hashPodName,
  RawJson,
  withInstanceId,
} from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { workerMetadataJson } from "./worker-metadata.ts";

const identity = { podName: "worker-0", podUid: "1c3f", namespace: "default" };
const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };
const id = hashPodName("worker-0");

describe("workerMetadataJson", () => {
  it("writes what the original writes, to the byte", () => {
    const metadata = new DiscoveryMetadata();
    const transport = { tcp: "10.1.2.3:41234/43710f49c0cff/generate" };
    metadata.registerEndpoint(withInstanceId({ type: "Endpoint", ...place, transport }, id));
    expect(workerMetadataJson(identity, metadata)).toBe(
      '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoWorkerMetadata",' +
        '"metadata":{"name":"worker-0","namespace":"default","ownerReferences":[' +
        '{"apiVersion":"v1","kind":"Pod","name":"worker-0","uid":"1c3f","controller":true,"blockOwnerDeletion":false}]},' +
        '"spec":{"data":{"endpoints":{"dynamo/backend/generate/43710f49c0cff":{"type":"Endpoint",' +
        '"component":"backend","endpoint":"generate","namespace":"dynamo",' +
        '"instance_id":1186445869714687,"transport":{"tcp":"10.1.2.3:41234/43710f49c0cff/generate"}}},' +
        '"model_cards":{},"event_channels":{},"event_sources":{}}}}',
    );
  });

  it("names a container's record after both, and leaves control of it to nobody", () => {
    const container = { ...identity, mode: "container", containerName: "engine-0" } as const;
    const { metadata } = JSON.parse(workerMetadataJson(container, new DiscoveryMetadata()));
    expect(metadata.name).toBe("worker-0-engine-0");
    expect(metadata.ownerReferences).toMatchObject([
      { name: "worker-0", uid: "1c3f", controller: false, blockOwnerDeletion: false },
    ]);
  });

  it("keeps a card as it is written, however deep and long its numbers", () => {
    const deep = `${"[".repeat(115)}18446744073709551615${"]".repeat(115)}`;
    const text = `{"display_name":"m","a": 1.0,"deep":${deep}}`;
    const metadata = new DiscoveryMetadata();
    const model = fromModel({ ...place, card: RawJson.parse(text) });
    metadata.registerModelCard(withInstanceId(model, id));
    expect(workerMetadataJson(identity, metadata)).toContain(`"card_json":${text}`);
  });
});
