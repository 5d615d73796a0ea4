export type { PageAnswer } from "./content-type.ts";
export { type FamilySelection, selectFamilies } from "./family-selection.ts";
export type { ParseLimits } from "./limits.ts";
export * from "./page-parser.ts";
