import { isMusterError } from "../errors.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { EventChannelInstance } from "./event-channel-instance.ts";
import { readLegacyScope, readScope } from "./event-scope.ts";
import { EventSourceInstance } from "./event-source-instance.ts";
import { readEventTransport } from "./event-transport.ts";
import { ModelInstance } from "./model-instance.ts";
import { badRecord } from "./plane-error.ts";
import { RawJson } from "./raw-json.ts";
import { type RecordReader, readRecord, unknownType } from "./record-reader.ts";
import { readTransport } from "./transport.ts";

/**
 * Reads a stored record. Members may come in any order; those we do not know are kept. Event channels
 * from before scopes (flat `namespace` and `component`) are read too, and keep these two.
 *
 * @throws MusterError PLANE_JSON, PLANE_RECORD, PLANE_RECORD_TYPE for a type we do not know.
 */
export function decodeInstance(text: string): DiscoveryInstance {
  const record = readRecord(text);
  const type = record.string("type");
  try {
    switch (type) {
      case "Endpoint":
        return endpoint(record);
      case "Model":
        return model(record);
      case "EventChannel":
        return eventChannel(record, text);
      case "EventSource":
        return eventSource(record);
    }
  } catch (error) {
    // a name with a slash: as a record, it is a bad one
    if (isMusterError(error) && error.code === "PLANE_NAME") throw badRecord(error.message);
    throw error;
  }
  throw unknownType(type);
}

function endpoint(record: RecordReader): EndpointInstance {
  return new EndpointInstance({
    component: record.string("component"),
    endpoint: record.string("endpoint"),
    namespace: record.string("namespace"),
    instanceId: record.id("instance_id"),
    transport: readTransport(record),
    deviceType: record.optionalString("device_type"),
    requestPlaneCodec: record.optionalString("request_plane_codec"),
    unknownFields: record.rest(),
  });
}

function model(record: RecordReader): ModelInstance {
  return new ModelInstance({
    namespace: record.string("namespace"),
    component: record.string("component"),
    endpoint: record.string("endpoint"),
    instanceId: record.id("instance_id"),
    cardJson: RawJson.checked(record.raw("card_json")),
    modelSuffix: record.optionalString("model_suffix"),
    unknownFields: record.rest(),
  });
}

function eventChannel(record: RecordReader, text: string): EventChannelInstance {
  // read apart, so that the flat members stay and are written back for old readers
  const scope = record.has("scope") ? readScope(record) : readLegacyScope(readRecord(text));
  return new EventChannelInstance({
    scope,
    topic: record.string("topic"),
    instanceId: record.id("instance_id"),
    transport: readEventTransport(record),
    unknownFields: record.rest(),
  });
}

function eventSource(record: RecordReader): EventSourceInstance {
  return new EventSourceInstance({
    scope: readScope(record),
    topic: record.string("topic"),
    publisherId: record.id("publisher_id"),
    metadata: RawJson.checked(record.raw("metadata")),
    unknownFields: record.rest(),
  });
}
