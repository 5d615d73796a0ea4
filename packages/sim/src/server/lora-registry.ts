import type { ModelServerSettings } from "./options.ts";

/** A loaded adapter. */
export interface LoadedLora {
  readonly name: string;
  readonly path: string;
  /** Seconds since the epoch. */
  readonly loadedAt: number;
}

/** The adapters a server has loaded, by name. */
export class LoraRegistry {
  readonly #settings: ModelServerSettings;
  readonly #loaded = new Map<string, LoadedLora>();

  constructor(settings: ModelServerSettings) {
    this.#settings = settings;
    for (const name of settings.loras) this.load(name, `/adapters/${name}`);
  }

  has(name: string): boolean {
    return this.#loaded.has(name);
  }

  list(): readonly LoadedLora[] {
    return [...this.#loaded.values()];
  }

  /** Whether there was room. */
  load(name: string, path: string): boolean {
    if (this.#loaded.size >= this.#settings.maxLoadedLoras) return false;
    const loadedAt = Math.floor(this.#settings.clock.now() / 1000);
    this.#loaded.set(name, { name, path, loadedAt });
    return true;
  }

  unload(name: string): boolean {
    return this.#loaded.delete(name);
  }
}
