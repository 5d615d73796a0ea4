import { MusterError } from "@muster/core";
import type { Sample } from "@muster/core/prometheus";

/** How many adapters of one list are kept, and how long a name may be. */
const maxAdapters = 4096;
const maxNameLength = 512;

/** The adapters that a series' labels list; names are sorted and unique. */
export interface Adapters {
  readonly active: readonly string[];
  readonly waiting: readonly string[];
  readonly max: number | null;
  /** What could not be taken over as it was. */
  readonly problem: MusterError | undefined;
}

/** The texts of a series' labels, by today's names or early vLLM's (vllm#9477). */
export interface AdapterLabels {
  readonly running: string;
  readonly waiting: string;
  readonly max: string;
}

/** Takes the three labels out of a series. */
export function adapterLabels({ labels }: Sample): AdapterLabels {
  return {
    running: labels.running_lora_adapters ?? labels.running_adapters ?? "",
    waiting: labels.waiting_lora_adapters ?? labels.waiting_adapters ?? "",
    max: labels.max_lora ?? "",
  };
}

/** Reads the three labels. A `max_lora` that is no number is a problem; one that is empty is unknown. */
export function parseAdapters(labels: AdapterLabels): Adapters {
  const active = parseNames(labels.running);
  const waiting = parseNames(labels.waiting);
  const max = labels.max.trim();
  const known = /^\d{1,9}(\.0+)?$/.test(max);
  const problems = [
    active.dropped > 0 && `${active.dropped} running adapters are over the limits`,
    waiting.dropped > 0 && `${waiting.dropped} waiting adapters are over the limits`,
    !known && max !== "" && `max_lora ${JSON.stringify(max.slice(0, 64))} is not a number`,
  ].filter((problem) => problem !== false);
  return {
    active: active.names,
    waiting: waiting.names,
    max: known ? Number(max) : null,
    problem:
      problems.length === 0
        ? undefined
        : new MusterError("EXTRACT_FAILED", `${problems.join("; ")}; the rest applies`),
  };
}

/** The Metrics form of a list: name to 0, since presence is what matters. */
export function countsOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = Object.create(null);
  for (const name of names) counts[name] = 0;
  return Object.freeze(counts);
}

function parseNames(list: string): { names: readonly string[]; dropped: number } {
  if (list === "") return { names: [], dropped: 0 };
  const all = new Set(list.split(",").map((name) => name.trim()));
  all.delete("");
  const short = [...all].filter((name) => name.length <= maxNameLength);
  const names = short.sort().slice(0, maxAdapters);
  return { names, dropped: all.size - names.length };
}
