import type { AttributeKey } from "./attribute-map.ts";
import type { TypedName } from "./names.ts";

/** Anything with a type and a name that the runtime wires up. */
export interface Plugin {
  readonly typedName: TypedName;
  /** Attributes this instance writes beside those its definition declares. */
  readonly produces?: readonly AttributeKey<unknown>[] | undefined;
  /**
   * Frees what the plugin holds (sockets, timers, files). Called once when the runtime stops, after
   * everything that uses the plugin has stopped. Idempotent.
   */
  stop?(): void | Promise<void>;
}
