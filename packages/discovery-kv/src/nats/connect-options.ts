import { readFile } from "node:fs/promises";
import { MusterError, messageOf } from "@muster/core";
import type { NodeConnectionOptions } from "@nats-io/transport-node";
import type { StoreTlsConfig } from "../tls-config.ts";
import type { NatsClient } from "./client.ts";
import type { NatsStoreSettings } from "./config.ts";

/** Between attempts to reconnect, ms; up to twice as long, so that a fleet does not come back as one. */
const reconnectWait = 250;

/** What the library is told, read anew for each connection. */
export async function connectOptions(
  client: NatsClient,
  settings: NatsStoreSettings,
): Promise<NodeConnectionOptions> {
  const { servers, requestTimeout, ttl, tls, username: user, password, token } = settings;
  return {
    servers: [...servers],
    name: `muster ${settings.namespace}`,
    // it has the say on why before whoever asked gives up
    timeout: requestTimeout * 0.9,
    maxReconnectAttempts: -1,
    // credentials may be mended while we are away
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => reconnectWait * (1 + Math.random()),
    // a stalled server is noticed after three of them, before our keys' time is over
    pingInterval: Math.min(2000, ttl / 4),
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(tls && { tls: await tlsOptions(tls) }),
    ...(user !== undefined && { user, pass: password ?? "" }),
    ...(token !== undefined && { token }),
    ...(await authenticator(client, settings)),
  };
}

async function authenticator(
  { transport }: NatsClient,
  { credentialsPath, nkeySeed }: NatsStoreSettings,
): Promise<Pick<NodeConnectionOptions, "authenticator">> {
  if (credentialsPath !== undefined) {
    const credentials = await readFile(credentialsPath).catch((cause: unknown) => {
      throw new MusterError("STORE_CONFIG", `credentialsPath: ${messageOf(cause)}`, { cause });
    });
    return { authenticator: transport.credsAuthenticator(new Uint8Array(credentials)) };
  }
  if (nkeySeed === undefined) return {};
  return { authenticator: transport.nkeyAuthenticator(new TextEncoder().encode(nkeySeed)) };
}

async function tlsOptions(tls: StoreTlsConfig): Promise<NonNullable<NodeConnectionOptions["tls"]>> {
  const { ca, caPath, cert, certPath, key, keyPath, serverName } = tls;
  return {
    ...(ca !== undefined && { ca }),
    ...(caPath !== undefined && { caFile: caPath }),
    ...(cert !== undefined && { cert }),
    ...(certPath !== undefined && { certFile: certPath }),
    ...(key !== undefined && { key }),
    ...(keyPath !== undefined && { keyFile: keyPath }),
    // handed on to node:tls
    ...(serverName !== undefined && { servername: serverName }),
  };
}
