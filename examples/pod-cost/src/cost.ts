import { type AttributeKey, attributeKey } from "@muster/core";

/** What the pod of an endpoint costs. */
export interface Cost {
  /** In whatever currency the annotations are. */
  readonly perHour: number;
}

/** Written by this package's extractor, read by whoever schedules. */
export const cost: AttributeKey<Cost> = attributeKey("acme/cost", isCost);

function isCost(value: unknown): value is Cost {
  return typeof (value as Partial<Cost> | null)?.perHour === "number";
}
