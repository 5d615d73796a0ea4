/** Lets one at a time work on a key, in the order asked for; works on different keys at once. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs `work` when everything asked for before on this key is done. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const own = previous.then(work);
    // whoever asked for it gets the error; the next one need not know
    const settled = own.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
