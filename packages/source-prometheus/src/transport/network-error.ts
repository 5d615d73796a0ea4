import { isMusterError, MusterError, type MusterErrorCode, messageOf } from "@muster/core";

/** A failed certificate check or handshake: Node's, OpenSSL's, BoringSSL's and rustls's names for it. */
const tls =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|EPROTO$|HOSTNAME_MISMATCH)/;

/** How far an exchange had come when it failed. */
export type Phase = "connecting" | "reading";

/** The coded error for what went wrong on the wire. */
export function networkError(error: unknown, url: string, phase: Phase): MusterError {
  if (isMusterError(error)) return error;
  const native = codeOf(error);
  const detail = `${native === "" || messageOf(error).includes(native) ? "" : `${native}: `}${messageOf(error).trim()}`;
  const make = (code: MusterErrorCode, text: string): MusterError =>
    new MusterError(code, `${url}: ${text}`, { path: url, cause: error });
  if (native === "HPE_HEADER_OVERFLOW")
    return make("SCRAPE_TOO_LARGE", "the headers of the answer are larger than 16 KiB");
  if (phase === "reading")
    return make("SCRAPE_TRUNCATED", `the answer broke off before its end: ${detail}`);
  if (tls.test(native))
    return make(
      "SCRAPE_TLS",
      `TLS handshake failed: ${detail}; check caCertPath, serverName and client certificate`,
    );
  if (native.startsWith("HPE_"))
    return make("SCRAPE_CONNECT", `the server does not speak HTTP: ${detail}`);
  return make("SCRAPE_CONNECT", `no answer: ${detail}`);
}

/** The `code` of a system error; empty when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
