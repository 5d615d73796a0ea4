export type { Totals } from "./engine/totals.ts";
export { type EngineName, engineVersions } from "./engines/profiles.ts";
export type { Fault, FaultInput, FaultKind } from "./faults/fault.ts";
export type { EndpointEntry } from "./fleet/endpoint-entry.ts";
export {
  createFleet,
  type FleetOptions,
  type FleetServerOptions,
  type FleetSim,
} from "./fleet/fleet.ts";
export { createLoad, type Load } from "./load/load.ts";
export type { LoadOptions, LoadTarget, TokenRange } from "./load/load-options.ts";
export type { LoadStats } from "./load/load-stats.ts";
export { createModelServer } from "./server/create-model-server.ts";
export type { ModelServerSim, SimState } from "./server/model-server.ts";
export type { ModelServerOptions } from "./server/options.ts";
export type { LoadSnapshot, ModelServerSnapshot } from "./server/snapshot.ts";
