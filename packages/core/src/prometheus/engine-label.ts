/** The label of an endpoint that names its engine, as llm-d sets it. */
export const engineLabel = "llm-d.ai/engine-type";

/** The label the same thing had before. */
const formerEngineLabel = "inference.networking.k8s.io/engine-type";

/** The engine an endpoint's labels name: `key`, then the label's former key; unset or empty: `undefined`. */
export function engineOf(
  labels: Readonly<Record<string, string>>,
  key: string = engineLabel,
): string | undefined {
  return labels[key] || labels[formerEngineLabel] || undefined;
}
