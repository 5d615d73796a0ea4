export type { KubeObject, KubeObjectMeta } from "./kube-object.ts";
export type { Reflector, ReflectorOptions, ReflectorRunOptions } from "./reflector.ts";
export { createReflector } from "./reflector.ts";
export type { ReflectorEvent, ReflectorState } from "./reflector-event.ts";
export type { ReflectorTiming } from "./timing.ts";
