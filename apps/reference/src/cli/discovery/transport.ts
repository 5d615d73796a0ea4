import { MusterError } from "@muster/core";
import { checkSpec, formatHexId, parseJson, type TransportType } from "@muster/core/plane";
import { readHostPort } from "../../plane/host-port.ts";
import { wrongOption } from "../report-error.ts";

/** Flags that say how a server is reached; one of them. */
export interface TransportFlags {
  readonly tcp?: string;
  readonly http?: string;
  readonly natsSubject?: string;
  readonly transport?: string;
}

type MakeTransport = (place: {
  readonly endpoint: string;
  readonly instanceId: bigint;
}) => TransportType;

/**
 * The transport that the flags say, in the forms that the original reads: `host:port/<id hex>/<endpoint>`
 * and `http://host:port/v1/rpc/<endpoint>`. A path that is given stays.
 *
 * @throws MusterError USAGE unless it is one, and a right one.
 */
export function transportOf(flags: TransportFlags): MakeTransport {
  const { tcp, http, natsSubject, transport } = flags;
  const given = [tcp, http, natsSubject, transport].filter((flag) => flag !== undefined);
  if (given.length !== 1)
    throw new MusterError(
      "USAGE",
      "how is it reached? give one of --http URL, --tcp host:port, --nats-subject and --transport JSON",
    );
  if (tcp !== undefined) return tcpTransport(tcp);
  if (http !== undefined) return httpTransport(http);
  if (natsSubject !== undefined) return () => ({ nats_tcp: natsSubject });
  const parsed = parseTransport(transport ?? "");
  return () => parsed;
}

function parseTransport(text: string): TransportType {
  const place = { namespace: "n", component: "c", endpoint: "e" };
  try {
    const transport = parseJson(text) as TransportType;
    checkSpec({ type: "Endpoint", ...place, transport });
    return transport;
  } catch (error) {
    throw wrongOption("--transport", error);
  }
}

function tcpTransport(text: string): MakeTransport {
  const [, address = "", path = ""] = /^([^/]*)(\/[^\s\p{Cc}]+)?$/u.exec(text) ?? [];
  const server = readHostPort(address);
  if (server === undefined)
    throw new MusterError(
      "USAGE",
      `--tcp ${text}: write host:port; an IPv6 address goes in brackets`,
    );
  return ({ endpoint, instanceId }) => ({
    tcp: server + (path || `/${formatHexId(instanceId)}/${endpoint}`),
  });
}

function httpTransport(text: string): MakeTransport {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw new MusterError(
      "USAGE",
      "--http takes a URL such as http://10.0.0.7:8000, without user and password",
    );
  // URL leaves those out or encodes them, readers may not
  if (/[\s\p{Cc}]/u.test(text)) throw new MusterError("USAGE", "--http has white space in its URL");
  if (url.pathname !== "/" || url.search !== "") return () => ({ http: text });
  return ({ endpoint }) => ({ http: `${url.origin}/v1/rpc/${endpoint}` });
}
