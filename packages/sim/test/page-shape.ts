/** A page reduced to what is fixed: families with their types, and each series without its value. */
export interface PageShape {
  /** `name type`, in no order. */
  readonly families: readonly string[];
  /** Sample names with label names, and the values of those labels that are part of a version's facts. */
  readonly series: readonly string[];
}

/** Labels whose values differ from server to server. */
const free = new Set([
  "model_name",
  "pid",
  "num_gpu_blocks",
  "num_pages",
  "version",
  "patchlevel",
  "minor",
]);

/** Reads the shape of a page in the classic text format. */
export function pageShape(page: string): PageShape {
  const families = new Set<string>();
  const series = new Set<string>();
  for (const line of page.split("\n")) {
    const type = line.match(/^# TYPE (\S+) (\S+)$/);
    if (type) families.add(`${type[1]} ${type[2]}`);
    const found = line.match(/^([^#{\s]+)(?:\{(.*)\})? \S+$/);
    // what HTTP requests there were, and which adapters they named, is no fact of the engine
    if (!found || /^http_|lora_requests_info/.test(line)) continue;
    const labels = [...(found[2] ?? "").matchAll(/([A-Za-z_]+)="((?:[^"\\]|\\.)*)"/g)];
    const shown = labels.map(([, name = "", value]) =>
      free.has(name) ? name : `${name}=${value}`,
    );
    series.add(`${found[1]}{${shown.join(",")}}`);
  }
  return { families: [...families].sort(), series: [...series].sort() };
}
