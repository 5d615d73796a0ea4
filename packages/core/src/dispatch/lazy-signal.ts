import type { ExtractOptions } from "../extractor.ts";

/** Makes its AbortSignal only when somebody looks: a synchronous extractor never pays for one. */
export class LazySignal implements ExtractOptions {
  readonly #parent: AbortSignal;
  #controller: AbortController | undefined;
  #unlink: (() => void) | undefined;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const parent = this.#parent;
      const abort = (): void => controller.abort(parent.reason);
      this.#controller = controller;
      if (parent.aborted) abort();
      else {
        parent.addEventListener("abort", abort, { once: true });
        this.#unlink = () => parent.removeEventListener("abort", abort);
      }
    }
    return this.#controller.signal;
  }

  /** Aborts the signal if anybody holds it. */
  abort(reason: unknown): void {
    this.#controller?.abort(reason);
  }

  /** Lets go of the parent. */
  dispose(): void {
    this.#unlink?.();
  }
}
