import process from "node:process";

/** Ms in which signals count as one: a terminal tells the whole group, and a launcher passes it on. */
const echo = 250;

/** What {@link terminationSignal} needs of a process, and a clock in ms. */
export interface SignalHost {
  on(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): void;
  now(): number;
}

/**
 * A signal that aborts on the first SIGTERM or SIGINT. A later one ends the process at once, for an
 * operator who does not want to wait.
 */
export function terminationSignal(host: SignalHost = thisProcess): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    host.on(name, () => {
      if (!controller.signal.aborted) {
        first = host.now();
        controller.abort(name);
      } else if (host.now() - first >= echo) host.exit(130);
    });
  }
  return controller.signal;
}

const thisProcess: SignalHost = {
  on: (name, listener) => process.on(name, listener),
  exit: (code) => process.exit(code),
  now: () => performance.now(),
};

/** Calls back on each SIGHUP; the returned function stops that. */
export function onHangup(callback: () => void): () => void {
  process.on("SIGHUP", callback);
  return () => process.off("SIGHUP", callback);
}
