/** How often a file that looks incomplete is read again soon. */
const maxRereads = 20;
/** How long after a change a file is read again, ms: more than a tick of a file system's clock. */
const settleTime = 40;

interface Reread {
  left: number;
  /** Monotonic time, ms. */
  readonly due: number;
}

/**
 * Files to read once more. Within a tick of the file system's clock a file may change and look the
 * same; and one that is written in place shows its first part, with or without an event for the rest.
 */
export class Rereads {
  readonly #files = new Map<string, Reread>();

  /** Some look incomplete: they should be read soon. */
  get urgent(): boolean {
    for (const { left } of this.#files.values()) if (left > 1) return true;
    return false;
  }

  /** Names of those whose time has come. */
  due(now: number): string[] {
    return [...this.#files].filter(([, { due }]) => due <= now).map(([name]) => name);
  }

  /** A file was read, and what it holds is new or what it was. */
  saw(name: string, read: { value: string; isNew: boolean; now: number }): void {
    const { value, isNew, now } = read;
    const file = this.#files.get(name);
    if (isNew)
      this.#files.set(name, { left: isComplete(value) ? 1 : maxRereads, due: now + settleTime });
    else if (file && file.due <= now && --file.left === 0) this.#files.delete(name);
  }

  forget(name: string): void {
    this.#files.delete(name);
  }

  clear(): void {
    this.#files.clear();
  }
}

/** Whether a record is all there, as far as it shows. */
export function isComplete(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    // records are JSON, so this one is not all there
    return false;
  }
}
