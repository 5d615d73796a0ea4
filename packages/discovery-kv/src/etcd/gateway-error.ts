import { isMusterError, MusterError, type MusterErrorCode, messageOf } from "@muster/core";

/** A failed certificate check or handshake: Node's, OpenSSL's, BoringSSL's and rustls's names for it. */
const tls =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|EPROTO$|HOSTNAME_MISMATCH)/;
/** The request cannot have reached the server. */
const unsent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ConnectionRefused)/;

/** Why one attempt failed. */
export interface Failure {
  readonly error: MusterError;
  /** Whether the server may have done what it was asked for. */
  readonly unsure: boolean;
}

/** What went wrong on the wire; `handshaking`: before the connection had agreed on TLS. */
export function networkFailure(error: unknown, url: string, handshaking = false): Failure {
  if (isMusterError(error)) return { error, unsure: false };
  const code = codeOf(error);
  const text = messageOf(error).trim();
  const detail = code === "" || text.includes(code) ? text : `${code}: ${text}`;
  const make = (kind: MusterErrorCode, message: string): MusterError =>
    new MusterError(kind, `${url}: ${message}`, { path: url, cause: error });
  if (tls.test(code))
    return {
      error: make(
        "STORE_TLS",
        `TLS handshake failed: ${detail}; check CA, server name and client certificate`,
      ),
      unsure: false,
    };
  if (code.startsWith("HPE_"))
    return { error: make("STORE_RESPONSE", `does not speak HTTP: ${detail}`), unsure: false };
  const hint = handshaking ? "; it broke in the TLS handshake: the server may speak no TLS" : "";
  return {
    error: make("STORE_UNAVAILABLE", `no answer: ${detail}${hint}`),
    unsure: !handshaking && !unsent.test(code),
  };
}

/** No answer in time. */
export function timeoutFailure(url: string, timeout: number): Failure {
  const message = `${url}: no answer within ${Math.round(timeout)} ms`;
  return { error: new MusterError("STORE_TIMEOUT", message, { path: url }), unsure: true };
}

/** The `code` of a system error; empty when it has none. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
