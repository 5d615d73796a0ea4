/** What turns have to do. */
export interface Todo {
  /** Make sure that the directory is there, and is the one that is watched. */
  open: boolean;
  /** List the directory, and look at what is new or gone. */
  list: boolean;
  /** With `list`: look at every file. */
  all: boolean;
  /** This is a round: count what has not changed, remove what is stale. */
  round: boolean;
  /** Files to look at. */
  readonly names: Set<string>;
  /** Files to read even if they look the same. */
  readonly again: Set<string>;
}

/** What {@link Turns} needs. */
export interface TurnsOptions {
  /** Takes from `todo` what it does. When it rejects, everything is done anew in a later turn. */
  readonly take: (todo: Todo) => Promise<void>;
  /** Whether to go on at once after this failure. */
  readonly mayRetry: (error: unknown) => boolean;
  /** All that was to be done is done, or what kept it from being done. */
  readonly onOver: (failure: unknown) => void;
}

/** How often one request goes on at once after a failure. */
const maxTries = 3;

/**
 * Does what is asked for one turn after the other, and what is asked meanwhile in one further turn:
 * what one turn saw is never overtaken by an older look.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #todo: Todo = {
    ...{ open: false, list: false, all: false, round: false },
    names: new Set(),
    again: new Set(),
  };
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Resolves when all this is done, or has failed; never rejects. */
  ask(
    what: Partial<Omit<Todo, "names" | "again">> & { name?: string; again?: string[] },
  ): Promise<void> {
    const { name, again = [], ...flags } = what;
    Object.assign(this.#todo, flags);
    if (name !== undefined) this.#todo.names.add(name);
    for (const each of again) this.#todo.again.add(each);
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Resolves when the turn under way is over; no other begins. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // so that `#running` is set before it is cleared
    await Promise.resolve();
    let failure: unknown;
    for (let tries = maxTries; this.#isDue(); ) {
      try {
        await this.#options.take(this.#todo);
        failure = undefined;
      } catch (error) {
        failure = error;
        Object.assign(this.#todo, { open: true, list: true, all: true });
        if (--tries === 0 || !this.#options.mayRetry(error)) break;
      }
    }
    this.#running = undefined;
    this.#options.onOver(failure);
  }

  #isDue(): boolean {
    const { open, list, names, again } = this.#todo;
    return !this.#closed && (open || list || names.size > 0 || again.size > 0);
  }
}
