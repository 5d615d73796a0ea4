import { MusterError } from "@muster/core";
import { readStatus, type Status } from "./status.ts";
import type { Header } from "./wire.ts";

/** What an answer of the gateway says. */
export type Answer =
  | { readonly body: unknown; readonly status?: undefined }
  | { readonly status: Status };

/**
 * Reads an answer of the gateway.
 *
 * @throws MusterError STORE_RESPONSE for what etcd's gateway never says
 */
export function readAnswer(url: string, path: string, { status, text }: RawAnswer): Answer {
  const json = parse(text);
  const refusal = status === 200 ? undefined : readStatus(json);
  if (refusal !== undefined) return { status: refusal };
  if (status === 200 && hasHeader(json)) return { body: json };
  throw foreign(url, path, { status, text });
}

/**
 * Whether it says which cluster answers, as all of etcd's answers do: the `{}` of something else must not
 * pass for a store that holds nothing.
 */
function hasHeader(json: unknown): json is object {
  if (typeof json !== "object" || json === null) return false;
  const { header, result } = json as { header?: Partial<Header> | null; result?: unknown };
  return typeof header?.cluster_id === "string" || hasHeader(result);
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** The error for an answer that is not the gateway's. */
export function foreign(url: string, path: string, { status, text }: RawAnswer): MusterError {
  if (text.startsWith("CommonName of client")) return namedCertificate(url);
  const start = JSON.stringify(text.slice(0, 100).trim());
  const hint =
    status === 404
      ? "this needs etcd 3.4 or newer with its JSON gateway (--enable-grpc-gateway)"
      : "is it etcd's client port?";
  const message = `${url}${path}: answered HTTP ${status}, ${start}, which is not the JSON of etcd: ${hint}`;
  return new MusterError("STORE_RESPONSE", message, { path: url });
}

/** A rule of the gateway's, told as plain text. */
function namedCertificate(url: string): MusterError {
  const message = `${url}: where etcd asks for users and certificates, its gateway takes none with a common name: use a client certificate without CN`;
  return new MusterError("STORE_AUTH", message, { path: url });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // not JSON: the caller says so with the status
    return undefined;
  }
}
