import {
  cloneEndpointMetadata,
  type DiscoveredAttribute,
  type EndpointMetadata,
  freezePlain,
  MusterError,
  messageOf,
} from "@muster/core";

/**
 * Metadata that cannot change under the store's hands: as it is when made by core, otherwise checked
 * and copied.
 *
 * @throws MusterError ENDPOINT_INVALID.
 */
export function checkedMetadata(metadata: EndpointMetadata): EndpointMetadata {
  try {
    return isCoreMade(metadata) ? metadata : cloneEndpointMetadata(metadata);
  } catch (error) {
    const message = `a discovery reported metadata that is not valid: ${messageOf(error)}`;
    throw new MusterError("ENDPOINT_INVALID", message, { cause: error });
  }
}

/**
 * Attributes with their values copied and frozen; nothing is stored when one of them cannot be.
 *
 * @throws MusterError ATTRIBUTE_INVALID.
 */
export function checkedAttributes(
  attributes: readonly DiscoveredAttribute[] = [],
): readonly DiscoveredAttribute[] {
  if (attributes.length === 0) return attributes;
  return attributes
    .filter(({ value }) => value !== undefined)
    .map(({ key, value }) => ({ key, value: isCloneable(value) ? value : freezePlain(value) }));
}

function isCoreMade(metadata: EndpointMetadata): boolean {
  return (
    Object.isFrozen(metadata) &&
    Object.isFrozen(metadata.labels) &&
    Object.getPrototypeOf(metadata.labels) === null &&
    Object.isFrozen(metadata.metrics) &&
    Object.isFrozen(metadata.namespacedName)
  );
}

function isCloneable(value: unknown): boolean {
  return typeof (value as { clone?: unknown } | null)?.clone === "function";
}
