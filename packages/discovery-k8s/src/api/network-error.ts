import { MusterError, messageOf } from "@muster/core";
import type { RequestName } from "./kube-error.ts";

/** A failed certificate check or handshake: Node's, OpenSSL's, BoringSSL's and rustls's names for it. */
const tls =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|EPROTO$|HOSTNAME_MISMATCH)/;

/** What went wrong with a connection, as an error of ours. */
export function networkError(error: unknown, { method, path }: RequestName): MusterError {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  const said = messageOf(error).trim();
  return new MusterError(
    tls.test(code) ? "KUBE_TLS" : "KUBE_UNAVAILABLE",
    `${method} ${path}: ${said}${code === "" || said.includes(code) ? "" : ` (${code})`}`,
    { cause: error },
  );
}
