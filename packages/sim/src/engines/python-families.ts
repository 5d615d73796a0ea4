import type { Family } from "../page/family.ts";
import { labelsText } from "../page/labels.ts";
import { numberText } from "../page/number-text.ts";
import type { PageContext } from "./profile.ts";

type BareFamily = readonly [
  name: string,
  type: "gauge" | "counter",
  help: string,
  read: () => number,
];

/** What prometheus_client says of the Python process, on pages of a single-process registry. */
export function pythonFamilies({ process }: PageContext): readonly Family[] {
  const bare: readonly BareFamily[] = [
    ["virtual_memory_bytes", "gauge", "Virtual memory, bytes.", () => process.virtualBytes],
    ["resident_memory_bytes", "gauge", "Resident memory, bytes.", () => process.residentBytes],
    ["start_time_seconds", "gauge", "Start, seconds since the epoch.", () => process.startTime],
    ["cpu_seconds_total", "counter", "CPU time used, seconds.", () => process.cpuSeconds],
    ["open_fds", "gauge", "Open file descriptors.", () => process.openFiles],
    ["max_fds", "gauge", "How many file descriptors may be open.", () => 1_048_576],
  ];
  return [
    collector("objects_collected", "Objects freed by the garbage collector", [11_842, 2_511, 903]),
    collector("objects_uncollectable", "Objects that could not be freed", [0, 0, 0]),
    collector("collections", "Garbage collections by generation", [1_204, 109, 9]),
    pythonInfo,
    ...bare.map(([suffix, type, help, read]): Family => {
      const name = `process_${suffix}`;
      return { kind: "custom", name, type, help, lines: () => `${name} ${numberText(read())}\n` };
    }),
  ];
}

const pythonInfo: Family = {
  kind: "custom",
  name: "python_info",
  type: "gauge",
  help: "The Python interpreter",
  lines: () =>
    'python_info{implementation="CPython",major="3",minor="12",patchlevel="11",version="3.12.11"} 1.0\n',
};

function collector(suffix: string, help: string, values: readonly number[]): Family {
  const name = `python_gc_${suffix}_total`;
  const line = (value: number, generation: number): string =>
    `${name}${labelsText({ generation: `${generation}` })} ${numberText(value)}\n`;
  const text = values.map(line).join("");
  return { kind: "custom", name, type: "counter", help, lines: () => text };
}
