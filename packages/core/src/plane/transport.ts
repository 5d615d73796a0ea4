import { formatPlain } from "../plain-data.ts";
import { badRecord } from "./plane-error.ts";
import type { RecordReader } from "./record-reader.ts";
import type { TransportType } from "./transport-type.ts";

/** The transports of endpoints, in the order of TransportType. */
const kinds = ["tcp", "nats_tcp", "http"] as const;

/** A frozen copy of a transport; PLANE_RECORD when it is none. */
export function copyTransport(transport: TransportType): TransportType {
  const names = typeof transport === "object" && transport !== null ? Object.keys(transport) : [];
  const kind = kinds.find((name) => name === names[0]);
  if (kind !== undefined && names.length === 1) {
    const value = (transport as Record<string, unknown>)[kind];
    if (typeof value === "string") return made(kind, value);
  }
  throw badRecord(
    `transport must be {"tcp": …}, {"nats_tcp": …} or {"http": …} with text, not ${formatPlain(transport)}`,
  );
}

/** Reads `transport` of an endpoint's record. One of another kind cannot be used, nor kept safely. */
export function readTransport(record: RecordReader): TransportType {
  const members = record.object("transport");
  const kind = kinds.find((name) => members.has(name));
  if (kind === undefined)
    throw record.fail("transport", "is of no known kind (tcp, nats_tcp, http)");
  const transport = made(kind, members.string(kind));
  if (members.rest().length > 0) throw record.fail("transport", "must have one member");
  return transport;
}

function made(kind: (typeof kinds)[number], value: string): TransportType {
  if (kind === "tcp") return Object.freeze({ tcp: value });
  return Object.freeze(kind === "http" ? { http: value } : { nats_tcp: value });
}

/** Whether two transports are the same. */
export function equalTransport(a: TransportType, b: TransportType): boolean {
  return kinds.every(
    (kind) => (a as Record<string, unknown>)[kind] === (b as Record<string, unknown>)[kind],
  );
}
