import process from "node:process";

/** Ms in which signals count as one: a terminal tells the whole group, and a launcher passes it on. */
const echo = 250;

/** Ms that everything may take to end; whoever sent the signal kills the process soon after 5 s. */
const patience = 4800;

/** Ms that the last output has to be read, once everything else has ended. */
const farewell = 250;

/** What {@link terminationSignal} needs of a process, and a clock in ms. */
export interface SignalHost {
  on(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): void;
  /** With which it ends by itself. */
  set exitCode(code: number);
  now(): number;
  /** Calls back after so many ms, unless the process has ended by then. */
  later(callback: () => void, ms: number): unknown;
}

/**
 * A signal that aborts on the first SIGTERM or SIGINT. A later one ends the process at once, for an
 * operator who does not want to wait, and so does time, whatever a plugin or a file is waiting for.
 */
export function terminationSignal(host: SignalHost = thisProcess): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    host.on(name, () => {
      if (!controller.signal.aborted) {
        first = host.now();
        host.later(() => host.exit(1), patience);
        controller.abort(name);
      } else if (host.now() - first >= echo) host.exit(130);
    });
  }
  return controller.signal;
}

/**
 * Lets the process end with this code as soon as its output is read; once asked to end, it does not
 * wait for a reader that has stopped reading. Output that is lost when all was done makes the code 1.
 */
export function endWith(code: number, signal: AbortSignal, host: SignalHost = thisProcess): void {
  host.exitCode = code;
  const leave = (last: number): void => void host.later(() => host.exit(last), farewell);
  if (signal.aborted) leave(code);
  else signal.addEventListener("abort", () => leave(1), { once: true });
}

const thisProcess: SignalHost = {
  set exitCode(code: number) {
    process.exitCode = code;
  },
  on: (name, listener) => process.on(name, listener),
  exit: (code) => process.exit(code),
  now: () => performance.now(),
  later: (callback, ms) => setTimeout(callback, ms).unref(),
};

/** Calls back on each SIGHUP; the returned function stops that. */
export function onHangup(callback: () => void): () => void {
  process.on("SIGHUP", callback);
  return () => process.off("SIGHUP", callback);
}
