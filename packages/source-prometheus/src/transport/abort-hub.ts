/**
 * One listener per signal, however many exchanges hang on it: adding and removing one costs the same for
 * a signal of one endpoint as for one that all endpoints share.
 */
export class AbortHub {
  readonly #watched = new WeakMap<AbortSignal, Set<() => void>>();

  /** Calls back when `signal` aborts, until the returned function is called. */
  watch(signal: AbortSignal, callback: () => void): () => void {
    const callbacks = this.#watched.get(signal) ?? this.#listen(signal);
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const callbacks = new Set<() => void>();
    this.#watched.set(signal, callbacks);
    signal.addEventListener(
      "abort",
      () => {
        for (const callback of callbacks) callback();
        callbacks.clear();
      },
      { once: true },
    );
    return callbacks;
  }
}
