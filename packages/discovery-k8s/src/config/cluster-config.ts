import { readFile } from "node:fs/promises";
import { MusterError, messageOf } from "@muster/core";
import * as z from "zod";
import { type Cluster, type ClusterTls, directCluster, serverProblem } from "../api/cluster.ts";
import { loadCluster } from "../api/load-cluster.ts";

/** Which cluster to talk to. Nothing set: the pod's own when in one, else the default kubeconfig. */
export interface ClusterConfig {
  /** A kubeconfig file. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig; default its current one. */
  readonly context?: string | undefined;
  /** An API server named directly, instead of a kubeconfig. */
  readonly server?: string | undefined;
  /** File of the bearer token for `server`, read anew for every connection. */
  readonly tokenFile?: string | undefined;
  /** PEM file of the authority that signed the certificate of `server`. */
  readonly caPath?: string | undefined;
  /** PEM files of the client certificate for `server` and its key. */
  readonly certPath?: string | undefined;
  readonly keyPath?: string | undefined;
}

const file = (what: string) => z.string().min(1).optional().describe(what);

/** Checks a {@link ClusterConfig}. */
export const clusterSchema: z.ZodType<ClusterConfig, ClusterConfig> = z
  .strictObject({
    kubeconfig: file("A kubeconfig file."),
    context: file("A context of the kubeconfig; otherwise its current one."),
    server: z
      .url({ abort: true })
      .superRefine((text, { addIssue }) => {
        const problem = serverProblem(text);
        if (problem !== undefined) addIssue(problem);
      })
      .optional()
      .describe("An API server named directly, instead of a kubeconfig."),
    tokenFile: file("File of the bearer token for `server`."),
    caPath: file("PEM file of the authority that signed the certificate of `server`."),
    certPath: file("PEM file of the client certificate for `server`."),
    keyPath: file("PEM file of the key of the client certificate."),
  })
  .superRefine(({ kubeconfig, context, server, ...direct }, { addIssue }) => {
    if (server !== undefined && (kubeconfig ?? context) !== undefined)
      addIssue("give `server`, or `kubeconfig` and `context`, not both");
    const [stray] = Object.entries(direct).find(([, value]) => value !== undefined) ?? [];
    if (server === undefined && stray !== undefined) addIssue(`\`${stray}\` needs \`server\``);
    if ((direct.certPath === undefined) !== (direct.keyPath === undefined))
      addIssue("`certPath` and `keyPath` belong together");
  });

/**
 * Finds the cluster that a configuration means.
 *
 * @throws MusterError KUBE_CONFIG
 */
export async function openCluster(config: ClusterConfig, namespace?: string): Promise<Cluster> {
  const { kubeconfig, context, server, tokenFile } = config;
  if (server === undefined) return await loadCluster({ kubeconfig, context, namespace });
  return directCluster({ server, namespace, tokenFile, tls: () => tlsOf(config) });
}

async function tlsOf({ caPath, certPath, keyPath }: ClusterConfig): Promise<ClusterTls> {
  const [ca, cert, key] = await Promise.all([caPath, certPath, keyPath].map(pem));
  return { ca, cert, key };
}

async function pem(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new MusterError("KUBE_CONFIG", `cannot read ${path}: ${messageOf(error)}`, {
      path,
      cause: error,
    });
  }
}
