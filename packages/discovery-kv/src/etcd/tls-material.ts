import { readFile } from "node:fs/promises";
import { type Clock, MusterError, messageOf } from "@muster/core";
import type { StoreTlsConfig } from "../tls-config.ts";

/** What `node:https` takes. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

/** How long files are taken for unchanged, ms. */
const fresh = 10_000;

/**
 * Gives the TLS settings, their files read at most every 10 s, since certificates are renewed while we
 * run; the same object for as long as they say the same.
 *
 * @throws MusterError STORE_CONFIG, from the returned function, when a file cannot be read or is no PEM
 */
export function tlsMaterial(config: StoreTlsConfig, clock: Clock): () => Promise<TlsMaterial> {
  let current: TlsMaterial | undefined;
  let reading: Promise<TlsMaterial> | undefined;
  let readAt = 0;
  return () => {
    if (reading !== undefined && clock.monotonic() - readAt < fresh) return reading;
    readAt = clock.monotonic();
    reading = read(config).then((next) => {
      const same = current !== undefined && isEqual(current, next);
      current = same ? current : next;
      return current ?? next;
    });
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
}

function isEqual(one: TlsMaterial, other: TlsMaterial): boolean {
  return one.ca === other.ca && one.cert === other.cert && one.key === other.key;
}

async function read(config: StoreTlsConfig): Promise<TlsMaterial> {
  const [ca, cert, key] = await Promise.all([
    config.ca ?? readPem(config.caPath),
    config.cert ?? readPem(config.certPath),
    config.key ?? readPem(config.keyPath),
  ]);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(config.serverName !== undefined && { servername: config.serverName }),
  };
}

async function readPem(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const message = `"${path}" cannot be read: ${messageOf(error)}`;
    throw new MusterError("STORE_CONFIG", message, { path, cause: error });
  });
  if (text.includes("-----BEGIN ")) return text;
  throw new MusterError("STORE_CONFIG", `"${path}" holds no PEM block`, { path });
}
