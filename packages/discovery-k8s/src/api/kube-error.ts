import { MusterError, type MusterErrorCode } from "@muster/core";

/** The part of a Kubernetes `Status` object that says why a request failed. */
interface StatusBody {
  readonly message?: unknown;
  readonly reason?: unknown;
}

/** What was asked, for messages. */
export interface RequestName {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** HTTP status to code; 5xx and all others stand below. */
const codes: ReadonlyMap<number, MusterErrorCode> = new Map([
  [400, "KUBE_INVALID"],
  [401, "KUBE_AUTH"],
  [403, "KUBE_FORBIDDEN"],
  [404, "KUBE_NOT_FOUND"],
  [405, "KUBE_INVALID"],
  [408, "KUBE_TIMEOUT"],
  [409, "KUBE_CONFLICT"],
  [410, "KUBE_GONE"],
  [413, "KUBE_TOO_LARGE"],
  [415, "KUBE_INVALID"],
  [422, "KUBE_INVALID"],
  [429, "KUBE_UNAVAILABLE"],
  [504, "KUBE_TIMEOUT"],
]);

const maxQuote = 300;

/** The error that stands for an answer other than success; `body` is a `Status` object or anything else. */
export function statusError(request: RequestName, status: number, body: string): MusterError {
  const code = codes.get(status) ?? (status >= 500 ? "KUBE_UNAVAILABLE" : "KUBE_RESPONSE");
  const said = messageOf(body);
  return new MusterError(code, `${request.method} ${request.path}: ${status} ${said}`);
}

/** The error that stands for an `ERROR` event of a watch: its object is a `Status`. */
export function watchError(path: string, object: unknown): MusterError {
  const status = Number((object as { code?: unknown } | null)?.code);
  const body = JSON.stringify(object ?? null);
  return statusError({ method: "WATCH", path }, Number.isInteger(status) ? status : 500, body);
}

/** The server's own words, shortened; they are data, so control characters are left out. */
function messageOf(body: string): string {
  const said = statusMessage(body) ?? body;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  const clean = said.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  if (clean === "") return "(no message)";
  return clean.length > maxQuote ? `${clean.slice(0, maxQuote)}…` : clean;
}

function statusMessage(body: string): string | undefined {
  try {
    const { message, reason } = JSON.parse(body) as StatusBody;
    if (typeof message === "string" && message !== "") return message;
    return typeof reason === "string" ? reason : undefined;
  } catch {
    // a proxy's page: quoted as it is
    return undefined;
  }
}
