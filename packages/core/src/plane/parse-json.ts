import type { JsonLimits } from "./json-limits.ts";
import { JsonReader } from "./json-reader.ts";

/**
 * Reads JSON without losing digits: integers beyond ±(2^53-1) become bigint (up to 1,000 digits).
 * Objects have no prototype, so any member name is only data; of equal names the last counts.
 *
 * @throws MusterError PLANE_JSON, with the position.
 */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  const reader = new JsonReader(text, limits);
  const value = reader.readValue();
  reader.end();
  return value;
}
