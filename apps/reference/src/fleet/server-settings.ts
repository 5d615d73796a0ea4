import { hostPort, MusterError } from "@muster/core";
import type { ServerConfig } from "@muster/runtime";
import { isLoopback } from "../http/guard.ts";

/** Where to listen and who may ask, from flags, configuration and environment in this order. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly openMetrics: boolean;
}

/** What {@link resolveServer} looks at. */
export interface ServerSources {
  readonly flags: { readonly host?: string | undefined; readonly port?: number | undefined };
  readonly config: ServerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Settles where to listen. `MUSTER_TOKEN` is used when the configuration has no token.
 *
 * @throws MusterError USAGE when the host is not loopback and there is no token.
 */
export function resolveServer({ flags, config, env }: ServerSources): ServerSettings {
  const host = flags.host ?? config.host;
  const port = flags.port ?? config.port;
  const token = config.token ?? (env.MUSTER_TOKEN || undefined);
  if (token === undefined && !isLoopback(host))
    throw new MusterError(
      "USAGE",
      `listening on ${hostPort(host, String(port))} needs a token, since others can reach it: ` +
        "set server.token in the configuration or MUSTER_TOKEN in the environment, or listen on 127.0.0.1",
    );
  return { host, port, token, openMetrics: config.openMetrics };
}
