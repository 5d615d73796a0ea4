import { type Discovery, extractModelId } from "@muster/core/plane";
import { type Action, recordOf, specOf } from "./records.ts";

/** Does what a worker is told. */
export async function perform(plane: Discovery, action: Action): Promise<void> {
  const { instanceId } = plane;
  if (action.op === "register") await plane.register(specOf(instanceId, action.slot, action.value));
  else if (action.op === "unregister")
    await plane.unregister(recordOf(instanceId, action.slot, action.value));
  else {
    const base = extractModelId(recordOf(instanceId, "base model", 0).id());
    await plane.updateModelTaints(base, taintsOf(action.value));
  }
}

/** The taints of a value. */
export function taintsOf(value: number): string[] {
  return [`busy-${value}`, "always"];
}
