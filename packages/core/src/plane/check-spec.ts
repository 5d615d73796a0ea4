import { formatPlain } from "../plain-data.ts";
import type { DiscoverySpec, EndpointSpec, ModelSpec } from "./discovery-spec.ts";
import { scopeNames } from "./event-scope.ts";
import { wrongVariant } from "./plane-error.ts";
import { badName, checkName } from "./plane-name.ts";
import { withInstanceId } from "./with-instance-id.ts";

/** Where the original keeps what is no adapter. */
const reservedSuffix = "_base";

/**
 * Fails unless a spec can be registered: names that are not empty, have at most 512 characters, no
 * control characters, and no `/` except in scopes and topics (whose keys are escaped); a transport of
 * a known kind; ids of 64 bits.
 *
 * @throws MusterError PLANE_NAME, PLANE_RECORD, PLANE_CARD, PLANE_VARIANT for an unknown `type`.
 */
export function checkSpec(spec: DiscoverySpec): void {
  switch (spec.type) {
    case "Endpoint":
      checkNames(spec);
      break;
    case "Model":
      checkNames(spec);
      if (spec.modelSuffix) checkName(spec.modelSuffix, "modelSuffix");
      if (spec.modelSuffix === reservedSuffix)
        throw badName("modelSuffix", spec.modelSuffix, "is reserved");
      break;
    case "EventChannel":
    case "EventSource":
      checkName(spec.topic, "topic", true);
      break;
    default:
      throw wrongVariant("a registrable", formatPlain((spec as { type?: unknown }).type));
  }
  const instance = withInstanceId(spec, 0n);
  if ("scope" in instance)
    for (const name of scopeNames(instance.scope)) checkName(name, "scope", true);
}

function checkNames({ namespace, component, endpoint }: EndpointSpec | ModelSpec): void {
  checkName(namespace, "namespace");
  checkName(component, "component");
  checkName(endpoint, "endpoint");
}
