import { MusterError } from "../errors.ts";
import { formatPlain } from "../plain-data.ts";

/** A record that is not valid. */
export function badRecord(problem: string): MusterError {
  return new MusterError("PLANE_RECORD", problem);
}

/** A key that cannot be read. */
export function badPath(kind: string, path: string, problem: string): MusterError {
  return new MusterError("PLANE_PATH", `invalid ${kind} path ${formatPlain(path)}: ${problem}`);
}

/** A record or id of another kind than needed. */
export function wrongVariant(wanted: string, got: string): MusterError {
  return new MusterError("PLANE_VARIANT", `Expected ${wanted} variant, got ${got}`);
}

/** A model card was asked of something else. */
export function noModel(type: string): MusterError {
  return new MusterError("PLANE_VARIANT", `Cannot deserialize model from ${type} instance`);
}
