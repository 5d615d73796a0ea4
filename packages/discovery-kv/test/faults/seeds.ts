import process from "node:process";

/** The seeds of a test; `MUSTER_FAULT_SEEDS=7,8` tries others instead. */
export function seeds(...usual: number[]): number[] {
  const given = process.env.MUSTER_FAULT_SEEDS;
  return given ? given.split(",").map(Number) : usual;
}
