export type { Totals } from "./engine/totals.ts";
export { type EngineName, engineVersions } from "./engines/profiles.ts";
export type { Fault, FaultInput, FaultKind } from "./faults/fault.ts";
export {
  createFleet,
  type FleetOptions,
  type FleetServerOptions,
  type FleetSim,
export { createModelServer } from "./server/create-model-server.ts";
export type { ModelServerSim, SimState } from "./server/model-server.ts";
export type { ModelServerOptions } from "./server/options.ts";
export type { LoadSnapshot, ModelServerSnapshot } from "./server/snapshot.ts";
