/** Label that all pods have. */
export const podLabels: Readonly<Record<string, string>> = Object.freeze({
  app: "vllm-llama3-70b",
});

/** What is written of a pod to an API server. */
export type PodBody = Readonly<Record<string, unknown>>;

/** Where and how often a pod was made. */
export interface PodPlace {
  readonly n: number;
  /** Makes names of no pod twice. */
  readonly life: number;
}

/** Name of a pod, as a ReplicaSet would choose it. */
export function podName({ n, life }: PodPlace): string {
  return `vllm-llama3-70b-7c9f8b6d54-${n.toString(36).padStart(4, "0")}${life.toString(36)}`;
}

/** A pod of a model server behind an inference gateway, as `kubectl get -o json` shows such pods. */
export function podOf(place: PodPlace): PodBody {
  const name = podName(place);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      generateName: "vllm-llama3-70b-7c9f8b6d54-",
      labels: {
        ...podLabels,
        "pod-template-hash": "7c9f8b6d54",
        "llm-d.ai/inferenceServing": "true",
        "llm-d.ai/model": "llama3-70b-instruct",
        "llm-d.ai/role": place.n % 2 === 0 ? "prefill" : "decode",
      },
      annotations: {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "8000",
        "kubectl.kubernetes.io/restartedAt": "2025-11-04T10:12:33Z",
      },
    },
    spec: {
      nodeName: nodeOf(place),
      serviceAccountName: "vllm",
      serviceAccount: "vllm",
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
      priority: 0,
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" },
      tolerations: [
        { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
        ...["not-ready", "unreachable"].map((taint) => ({
          key: `node.kubernetes.io/${taint}`,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        })),
      ],
      containers: [container],
      volumes,
    },
  };
}

/** What its kubelet says of it. */
export function statusOf(place: PodPlace, ready: boolean, changes: number): PodBody {
  const begun = "2025-11-04T10:12:40Z";
  const changed = new Date(Date.UTC(2025, 10, 4, 11) + changes * 1000).toISOString();
  const condition = (type: string, held = true, lastTransitionTime = begun) => ({
    type,
    status: held ? "True" : "False",
    lastProbeTime: null,
    lastTransitionTime,
    ...(!held && {
      reason: "ContainersNotReady",
      message: "containers with unready status: [vllm]",
    }),
  });
  const podIP = `10.${64 + (place.n >> 16)}.${(place.n >> 8) & 255}.${place.n & 255}`;
  const hostIP = `192.168.${(place.n >> 11) & 255}.${(place.n >> 3) & 255}`;
  return {
    phase: "Running",
    qosClass: "Burstable",
    startTime: begun,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: [
      condition("PodReadyToStartContainers"),
      condition("Initialized"),
      condition("Ready", ready, changed.replace(/\.\d+/, "")),
      condition("ContainersReady", ready, changed.replace(/\.\d+/, "")),
      condition("PodScheduled"),
    ],
    containerStatuses: [
      {
        name: "vllm",
        image: "docker.io/vllm/vllm-openai:v0.11.0",
        imageID: `docker.io/vllm/vllm-openai@sha256:${"9f86d081884c7d65".repeat(4)}`,
        containerID: `containerd://${place.n.toString(16).padStart(8, "0").repeat(8)}`,
        ready,
        started: true,
        restartCount: 0,
        lastState: {},
        state: { running: { startedAt: begun } },
      },
    ],
  };
}

function nodeOf({ n }: PodPlace): string {
  return `gpu-node-${(n >> 3).toString().padStart(4, "0")}.eu-central-1.compute.internal`;
}

const probe = (path: string, failureThreshold: number) => ({
  httpGet: { path, port: "http", scheme: "HTTP" },
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold,
});

const container = {
  name: "vllm",
  image: "vllm/vllm-openai:v0.11.0",
  imagePullPolicy: "IfNotPresent",
  args: [
    "--model=meta-llama/Meta-Llama-3-70B-Instruct",
    "--tensor-parallel-size=4",
    "--max-model-len=8192",
    "--enable-lora",
    "--max-loras=8",
    "--gpu-memory-utilization=0.92",
  ],
  env: [
    { name: "HF_HOME", value: "/models" },
    {
      name: "HF_TOKEN",
      valueFrom: { secretKeyRef: { name: "huggingface", key: "token" } },
    },
    {
      name: "POD_IP",
      valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
    },
  ],
  ports: [{ name: "http", containerPort: 8000, protocol: "TCP" }],
  resources: {
    limits: { "nvidia.com/gpu": "4", memory: "320Gi" },
    requests: { "nvidia.com/gpu": "4", cpu: "16", memory: "256Gi" },
  },
  startupProbe: probe("/health", 120),
  livenessProbe: probe("/health", 3),
  readinessProbe: probe("/v1/models", 1),
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  volumeMounts: [
    { name: "models", mountPath: "/models" },
    { name: "shm", mountPath: "/dev/shm" },
    {
      name: "kube-api-access-x7k2p",
      mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
      readOnly: true,
    },
  ],
};

const volumes = [
  { name: "models", persistentVolumeClaim: { claimName: "models" } },
  { name: "shm", emptyDir: { medium: "Memory", sizeLimit: "16Gi" } },
  {
    name: "kube-api-access-x7k2p",
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        {
          configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] },
        },
        {
          downwardAPI: {
            items: [
              {
                path: "namespace",
                fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
              },
            ],
          },
        },
      ],
    },
  },
];
