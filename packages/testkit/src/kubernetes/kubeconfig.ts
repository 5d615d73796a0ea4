/** How a client is to reach a server, and who it is. */
export interface KubeconfigOptions {
  readonly token?: string | undefined;
  /** PEM texts. */
  readonly ca?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  /** The name in the server's certificate, where it is not the address. */
  readonly serverName?: string | undefined;
  /** Default `default`. */
  readonly namespace?: string | undefined;
}

/** A kubeconfig with one context, as JSON, which is YAML. */
export function formatKubeconfig(server: string, options: KubeconfigOptions): string {
  const { token, ca, clientCert, clientKey, serverName, namespace = "default" } = options;
  const cluster = {
    server,
    ...(ca !== undefined && { "certificate-authority-data": btoa(ca) }),
    ...(serverName !== undefined && { "tls-server-name": serverName }),
  };
  const user = {
    ...(token !== undefined && { token }),
    ...(clientCert !== undefined && { "client-certificate-data": btoa(clientCert) }),
    ...(clientKey !== undefined && { "client-key-data": btoa(clientKey) }),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
    "current-context": "test",
  });
}
