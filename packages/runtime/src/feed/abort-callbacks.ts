/**
 * One listener per signal, however many feeds hang on it: a program has one signal for its end, and
 * Node warns of a leak from the eleventh listener.
 */
export class AbortCallbacks {
  readonly #known = new WeakMap<AbortSignal, Listener>();

  add(signal: AbortSignal, callback: () => void): void {
    const listener = this.#known.get(signal) ?? this.#listen(signal);
    listener.callbacks.add(callback);
  }

  delete(signal: AbortSignal, callback: () => void): void {
    const listener = this.#known.get(signal);
    listener?.callbacks.delete(callback);
    if (listener?.callbacks.size !== 0) return;
    signal.removeEventListener("abort", listener.call);
    this.#known.delete(signal);
  }

  #listen(signal: AbortSignal): Listener {
    const callbacks = new Set<() => void>();
    const call = (): void => {
      for (const callback of [...callbacks]) callback();
    };
    signal.addEventListener("abort", call);
    const listener = { callbacks, call };
    this.#known.set(signal, listener);
    return listener;
  }
}

interface Listener {
  readonly callbacks: Set<() => void>;
  readonly call: () => void;
}
