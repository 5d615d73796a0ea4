import { type Clock, MusterError } from "@muster/core";
import type { TlsOptions } from "../transport/agents.ts";
import { WatchedFile } from "./watched-file.ts";

/** Where the TLS settings of a source are. */
export interface TlsFiles {
  readonly caCertPath?: string | undefined;
  readonly clientCertPath?: string | undefined;
  readonly clientKeyPath?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/**
 * Gives the TLS settings, read from their files; the same object for as long as the files say the same.
 *
 * @throws MusterError SCRAPE_CREDENTIALS, from the returned function, when a file cannot be read or holds no PEM.
 */
export function tlsFromFiles(files: TlsFiles, clock: Clock): () => Promise<TlsOptions> {
  const watch = (path: string | undefined): WatchedFile | undefined =>
    path === undefined ? undefined : new WatchedFile(path, clock);
  const sources = {
    ca: watch(files.caCertPath),
    cert: watch(files.clientCertPath),
    key: watch(files.clientKeyPath),
  };
  let current: TlsOptions = { serverName: files.serverName, verify: !files.insecureSkipVerify };
  return async () => {
    const ca = await readPem(sources.ca);
    const cert = await readPem(sources.cert);
    const key = await readPem(sources.key);
    if (ca !== current.ca || cert !== current.cert || key !== current.key)
      current = { ...current, ca, cert, key };
    return current;
  };
}

async function readPem(file: WatchedFile | undefined): Promise<string | undefined> {
  const text = await file?.read();
  if (file === undefined || text?.includes("-----BEGIN ")) return text;
  throw new MusterError("SCRAPE_CREDENTIALS", `"${file.path}" holds no PEM block`, {
    path: file.path,
  });
}
