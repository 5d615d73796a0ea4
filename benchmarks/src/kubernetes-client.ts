/** A pod as the API server lists it, as far as a benchmark looks at it. */
export interface ListedPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly status: {
    readonly podIP: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

/** One way to follow the pods of a cluster. */
export interface KubernetesClient {
  /** Resolves when everything is there. */
  start(): Promise<void>;
  /** Changes that it was told of. */
  changes(): number;
  /** What it believes: names, and what makes two things of one name the same. */
  view(): ReadonlyMap<string, string>;
  /** What it should believe, from the server's own list. */
  truth(pods: readonly ListedPod[]): ReadonlyMap<string, string>;
}

/** Which clients there are. */
export type ClientName = "reflector" | "discovery" | "informer";

/** Every pod in its latest version. */
export function podVersions(pods: Iterable<Pick<ListedPod, "metadata">>): Map<string, string> {
  return new Map(
    [...pods].map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.resourceVersion}`]),
  );
}

/** Where the pods are that all clients follow. */
export const followed: { readonly namespace: string; readonly path: string } = Object.freeze({
  namespace: "default",
  path: "/api/v1/namespaces/default/pods",
});
