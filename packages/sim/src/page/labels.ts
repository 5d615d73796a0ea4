/** Label names and values of a series. */
export type Labels = Readonly<Record<string, string>>;

/** `{a="1",b="2"}` with names in order, as prometheus_client writes them; nothing without labels. */
export function labelsText(labels: Labels): string {
  const names = Object.keys(labels).sort();
  if (names.length === 0) return "";
  return `{${names.map((name) => `${name}="${escaped(labels[name] ?? "")}"`).join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
