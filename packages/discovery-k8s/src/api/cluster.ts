import { readFile } from "node:fs/promises";
import { MusterError, messageOf } from "@muster/core";

/** TLS settings of connections to one API server. */
export interface ClusterTls {
  /** PEM; instead of the system's authorities. */
  readonly ca?: string | undefined;
  /** PEM of the client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
  /** Name to ask for and to check, instead of the host. */
  readonly serverName?: string | undefined;
  /** Default true. */
  readonly verify?: boolean | undefined;
}

/** What proves to the API server who asks. */
export interface ClusterCredentials {
  /** Value of the `Authorization` header. */
  readonly authorization?: string | undefined;
  readonly tls: ClusterTls;
}

/** How credentials are asked for. */
export interface CredentialsRequest {
  /** What was given before was refused. */
  readonly refresh?: boolean;
  /** Nobody waits for them any more. */
  readonly signal?: AbortSignal;
}

/** An API server, and how to identify oneself there. */
export interface Cluster {
  /** Base URL, `http:` or `https:`; a path in it comes before every request's. */
  readonly server: URL;
  /** Where things are looked for when nothing else is said. */
  readonly namespace: string;
  /** Asked for every connection, so that rotated tokens and certificates count. */
  credentials(options?: CredentialsRequest): Promise<ClusterCredentials>;
}

/** An API server named directly, without a kubeconfig. */
export interface DirectCluster {
  /** Such as `https://10.96.0.1:443`. */
  readonly server: string;
  /** Default `default`. */
  readonly namespace?: string | undefined;
  readonly token?: string | undefined;
  /** A file with the token, read anew for every connection. */
  readonly tokenFile?: string | undefined;
  /** A function is asked for every connection, so that rotated certificates count. */
  readonly tls?: ClusterTls | (() => Promise<ClusterTls>) | undefined;
}

/**
 * Makes a {@link Cluster} from settings that name everything themselves.
 *
 * @throws MusterError KUBE_CONFIG when they do not fit.
 */
export function directCluster(options: DirectCluster): Cluster {
  const { namespace = "default", token, tokenFile, tls = {} } = options;
  if (token !== undefined && tokenFile !== undefined)
    throw new MusterError("KUBE_CONFIG", "give `token` or `tokenFile`, not both");
  return Object.freeze({
    server: serverUrl(options.server),
    namespace,
    async credentials(): Promise<ClusterCredentials> {
      const secret = tokenFile === undefined ? token : await readToken(tokenFile);
      const settings = typeof tls === "function" ? await tls() : tls;
      return { tls: settings, ...(secret !== undefined && { authorization: `Bearer ${secret}` }) };
    },
  });
}

/**
 * Reads the URL of an API server.
 *
 * @throws MusterError KUBE_CONFIG
 */
export function serverUrl(text: string): URL {
  const problem = serverProblem(text);
  if (problem === undefined) return new URL(text);
  throw new MusterError("KUBE_CONFIG", `the API server's URL ${problem}`, { path: "server" });
}

/** Why a text is no URL of an API server; undefined: it is. */
export function serverProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "must be http:// or https://";
  const { username, password, search, hash } = url;
  return `${username}${password}${search}${hash}` === "" ? undefined : "holds more than an address";
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new MusterError("KUBE_CONFIG", `cannot read the token: ${messageOf(error)}`, {
      path: file,
      cause: error,
    });
  }
}
