import { equalJson } from "./equal-json.ts";
import type { EventTransport } from "./event-types.ts";
import { parseJson } from "./parse-json.ts";
import { type RecordReader, readRecord } from "./record-reader.ts";
import { stringifyJson } from "./stringify-json.ts";
import { withUnknown } from "./wire-value.ts";

/** Reads `transport` of an event channel's record. */
export function readEventTransport(record: RecordReader): EventTransport {
  const fields = record.object("transport");
  const kind = fields.string("kind");
  if (kind !== "Nats" && kind !== "Zmq" && kind !== "ZmqBroker")
    throw record.fail("transport.kind", `must be Nats, Zmq or ZmqBroker, not "${kind}"`);
  const config = fields.object("config");
  return withUnknown({ kind, config: readConfig(kind, config) }, fields.members) as EventTransport;
}

function readConfig(kind: EventTransport["kind"], config: RecordReader): object {
  if (kind === "Nats")
    return withUnknown({ subject_prefix: config.string("subject_prefix") }, config.members);
  if (kind === "Zmq") return withUnknown({ endpoint: config.string("endpoint") }, config.members);
  const xsub_endpoints = config.strings("xsub_endpoints");
  const xpub_endpoints = config.strings("xpub_endpoints");
  return withUnknown({ xsub_endpoints, xpub_endpoints }, config.members);
}

/** A frozen copy of an event transport, in the order of the wire; PLANE_RECORD when it is none. */
export function copyEventTransport(transport: EventTransport): EventTransport {
  return readEventTransport(readRecord(stringifyJson({ transport })));
}

/** Whether two event transports are the same. */
export function equalEventTransport(a: EventTransport, b: EventTransport): boolean {
  return equalJson(parseJson(stringifyJson(a)), parseJson(stringifyJson(b)));
}
