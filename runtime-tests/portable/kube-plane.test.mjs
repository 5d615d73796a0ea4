// The discovery plane on Kubernetes, over real HTTP.
import { createKubeApi, createKubeDiscovery, directCluster } from "@muster/discovery-k8s";
import { describeDiscoveryPlane } from "@muster/testkit";
import { createKubernetesServer } from "@muster/testkit/kubernetes";

const namespace = "default";
const labels = { "nvidia.com/dynamo-discovery-enabled": "true" };
const definition = {
  metadata: { name: "dynamoworkermetadatas.nvidia.com" },
  spec: {
    group: "nvidia.com",
    scope: "Namespaced",
    names: { plural: "dynamoworkermetadatas", kind: "DynamoWorkerMetadata" },
    versions: [
      {
        ...{ name: "v1alpha1", served: true, storage: true },
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

async function open() {
  const server = createKubernetesServer();
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url }));
  const make = (path, body) => api.request({ method: "POST", path, body });
  await make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  let count = 0;
  return {
    async client() {
      const name = `worker-${count++}`;
      const pod = await make(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name },
        spec: { containers: [{ name: "main", image: "worker" }] },
      });
      await make(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
        metadata: { name, labels },
        addressType: "IPv4",
        endpoints: [
          {
            ...{ addresses: ["10.0.0.1"], conditions: { ready: true } },
            targetRef: { kind: "Pod", name, uid: pod.metadata.uid },
          },
        ],
      });
      const identity = { podName: name, podUid: pod.metadata.uid, namespace };
      return createKubeDiscovery({ api, identity });
    },
    async close() {
      api.close();
      await server.stop();
    },
  };
}

export default (api) =>
  describeDiscoveryPlane(api, {
    ...{ registerAgain: "replace", unregistersOthers: false, keepsSpelling: false },
    largestNumber: 2n ** 63n - 1n,
    make: open,
  });
