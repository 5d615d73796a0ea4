import { MusterError, toMusterError } from "@muster/core";
import { DiscoveryMetadata, type SkippedMetadata, stringifyJson } from "@muster/core/plane";

const maps = ["endpoints", "model_cards", "event_channels", "event_sources"] as const;

/**
 * Reads `spec.data` of a worker's object. A map that is missing or null is empty: server-side apply can
 * turn `{}` into null. An entry that cannot be read is left out and reported.
 *
 * @throws MusterError PLANE_RECORD when the whole, or a map, is no object
 */
export function readData(
  spec: unknown,
  onSkipped: (entry: SkippedMetadata) => void,
): DiscoveryMetadata {
  const data = isObject(spec) ? spec.data : undefined;
  if (!isObject(data)) throw new MusterError("PLANE_RECORD", "spec.data must be an object");
  const texts = maps.map((map) => `"${map}":{${entriesOf(map, data[map], onSkipped).join(",")}}`);
  return DiscoveryMetadata.fromJson(`{${texts.join(",")}}`, onSkipped);
}

/** The entries as text, one by one: what one of them is must not matter to the others. */
function entriesOf(
  map: string,
  value: unknown,
  onSkipped: (entry: SkippedMetadata) => void,
): string[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw new MusterError("PLANE_RECORD", `spec.data.${map} must be an object`);
  return Object.entries(value).flatMap(([key, entry]) => {
    try {
      return [`${JSON.stringify(key)}:${stringifyJson(entry)}`];
    } catch (error) {
      onSkipped({ map, key, problem: toMusterError(error, "PLANE_RECORD") });
      return [];
    }
  });
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
