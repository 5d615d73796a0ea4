interface Listener {
  readonly callbacks: Set<() => void>;
  readonly call: () => void;
}

const listeners = new WeakMap<AbortSignal, Listener>();

/**
 * Calls back once when `signal` aborts, at once if it has already; the returned function takes that
 * back. However many hang on one signal it carries one listener: a program has one signal for its
 * end, and Node warns of a leak from the eleventh listener.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const { callbacks, call } = listeners.get(signal) ?? listen(signal);
  const own = (): void => callback();
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0) return;
    signal.removeEventListener("abort", call);
    listeners.delete(signal);
  };
}

function listen(signal: AbortSignal): Listener {
  const callbacks = new Set<() => void>();
  const call = (): void => {
    for (const callback of [...callbacks]) callback();
  };
  const listener = { callbacks, call };
  listeners.set(signal, listener);
  signal.addEventListener("abort", call, { once: true });
  return listener;
}
