/** A pod as the test last wrote it. */
export interface PodState {
  readonly namespace: string;
  readonly name: string;
  readonly app: string;
  /** Text of the annotation; undefined: none. */
  readonly active: string | undefined;
  readonly addresses: readonly string[];
  readonly phase: string;
  readonly ready: boolean;
  readonly deleting: boolean;
}

/** What a pool or a selector asks for. */
export interface Wanted {
  readonly app: string;
  readonly ports: readonly number[];
}

/** One endpoint of a slice as the test last wrote it. */
export interface SliceEntry {
  readonly pod: string;
  readonly uid: string;
  readonly address: string;
  readonly conditions: {
    readonly ready: boolean;
    readonly serving: boolean;
    readonly terminating: boolean;
  };
}

/** A slice as the test last wrote it; its port has the name `http`. */
export interface SliceState {
  readonly namespace: string;
  readonly name: string;
  readonly family: "IPv4" | "IPv6";
  readonly port: number;
  readonly entries: readonly SliceEntry[];
}

/** Endpoint id to `address:port`. */
export type Endpoints = ReadonlyMap<string, string>;

/** The endpoints that a pod is, by the rules of the documentation. */
export function endpointsOfPod(pod: PodState, { app, ports }: Wanted): Endpoints {
  const found = new Map<string, string>();
  const [address] = pod.addresses;
  if (pod.deleting || pod.phase !== "Running" || !pod.ready || !address) return found;
  if (pod.app !== app) return found;
  const active = pod.active?.split(",");
  for (const [rank, port] of ports.entries())
    if (!active || active.includes(String(port)))
      found.set(`${pod.namespace}/${pod.name}-rank-${rank}`, `${address}:${port}`);
  return found;
}

/** The endpoints of all pods. */
export function endpointsOfPods(pods: Iterable<PodState>, wanted: Wanted): Endpoints {
  return new Map([...pods].flatMap((pod) => [...endpointsOfPod(pod, wanted)]));
}

/** The endpoints that a slice names. */
export function endpointsOfSlice({ namespace, port, entries }: SliceState): Endpoints {
  const usable = entries.filter(
    ({ conditions }) => conditions.ready && conditions.serving && !conditions.terminating,
  );
  return new Map(
    usable.map(({ pod, address }) => [`${namespace}/${pod}-rank-0`, `${address}:${port}`]),
  );
}

/** The endpoints of all slices: IPv4 before IPv6, then by name. */
export function endpointsOfSlices(slices: Iterable<SliceState>): Endpoints {
  const rank = ({ family, name }: SliceState): string => `${family} ${name}`;
  const worstFirst = [...slices].sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
  return new Map(worstFirst.flatMap((slice) => [...endpointsOfSlice(slice)]));
}
