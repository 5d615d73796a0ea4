import type { MsgHdrs } from "@nats-io/transport-node";
import type { NatsClient } from "./client.ts";

/** Whose record it is: the connection id in lower-case hex. */
const ownerHeader = "Muster-Owner";
/** On a mark: the key went because its owner died, not because anybody wanted it gone. */
const expiredHeader = "Muster-Expired";
/** NATS KV's own, on marks. */
const operationHeader = "KV-Operation";

/** A message of the bucket. */
export interface Message {
  readonly subject: string;
  readonly sequence: number;
  /** When the server stored it, by its clock, ms since the Unix epoch. */
  readonly time: number;
  readonly value: string;
  /** Undefined for records that others than us wrote: they have no lifetime but the bucket's. */
  readonly owner: string | undefined;
  /** What the message says of the key. */
  readonly state: "present" | "deleted" | "expired";
}

interface RawMessage {
  readonly subject: string;
  readonly seq: number;
  readonly timestamp?: string;
  readonly time?: Date;
  readonly data: Uint8Array;
  readonly header?: MsgHdrs;
  readonly headers?: MsgHdrs | undefined;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads a stored or a delivered message. */
export function readMessage(raw: RawMessage, time: number = raw.time?.getTime() ?? 0): Message {
  const headers = raw.headers ?? raw.header;
  const owner = headers?.get(ownerHeader) ?? "";
  return {
    subject: raw.subject,
    sequence: raw.seq,
    time,
    value: decoder.decode(raw.data),
    owner: owner === "" ? undefined : owner,
    state: stateOf(headers),
  };
}

function stateOf(headers: MsgHdrs | undefined): Message["state"] {
  const operation = headers?.get(operationHeader) ?? "";
  if (operation !== "DEL" && operation !== "PURGE") return "present";
  return headers?.get(expiredHeader) === "1" ? "expired" : "deleted";
}

/** The headers that say what {@link readMessage} reads. */
export function messageHeaders(
  { transport }: NatsClient,
  { owner, mark }: { owner?: string | undefined; mark?: "deleted" | "expired" | undefined },
): MsgHdrs {
  const headers = transport.headers();
  if (owner !== undefined) headers.set(ownerHeader, owner);
  if (mark !== undefined) headers.set(operationHeader, "DEL");
  if (mark === "expired") headers.set(expiredHeader, "1");
  return headers;
}
