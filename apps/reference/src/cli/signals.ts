import process from "node:process";

/**
 * A signal that aborts on the first SIGTERM or SIGINT. The second one ends the process at once, for
 * an operator who does not want to wait.
 */
export function terminationSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(name);
    });
  }
  return controller.signal;
}

/** Calls back on each SIGHUP; the returned function stops that. */
export function onHangup(callback: () => void): () => void {
  process.on("SIGHUP", callback);
  return () => process.off("SIGHUP", callback);
}
