/** How long to measure, one window after the other. */
export interface WindowPlan {
  readonly count: number;
  readonly seconds: number;
}

/** One stretch of a measurement. */
export interface Window {
  /** Things done in it, such as scrapes. */
  readonly count: number;
  readonly seconds: number;
  /** CPU ms of the whole process, user and system. */
  readonly cpuMs: number;
}

/** Measures CPU and what was done, window by window, from the call on. */
export async function measureWindows(
  { count, seconds }: WindowPlan,
  done: () => number,
): Promise<Window[]> {
  const windows: Window[] = [];
  while (windows.length < count) windows.push(await measureWindow(seconds, done));
  return windows;
}

async function measureWindow(seconds: number, done: () => number): Promise<Window> {
  const before = done();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return {
    count: done() - before,
    seconds: (performance.now() - start) / 1000,
    cpuMs: cpuSince(cpu),
  };
}

/** CPU ms of this process since then, user and system. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
