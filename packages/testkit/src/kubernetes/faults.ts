/** A failure to answer with instead. */
export interface InjectedFailure {
  /** HTTP status, such as 500 or 410. */
  readonly status: number;
  readonly reason?: string | undefined;
  /** Seconds, as `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** Sent as it is, as `text/html`, instead of a `Status` object. */
  readonly body?: string | undefined;
  /** Which verbs; unset: all. */
  readonly verb?: string | undefined;
  /** Which resource, by plural name; unset: all. */
  readonly resource?: string | undefined;
  /** How often; default once. */
  readonly times?: number | undefined;
}

/** One open watch, as the faults see it. */
export interface OpenWatch {
  /** Ends in order. */
  end(): void;
  /** Breaks the connection. */
  drop(): void;
  /** Writes a line as it is. */
  write(line: string): void;
}

/** What can go wrong with an API server and the way to it. */
export interface KubernetesFaults {
  /** Open watches say nothing any more and stay open; new ones are silent too. */
  silence(): void;
  /** Ends the silence: watches that were silent break. */
  speak(): void;
  /** Breaks the connections of all watches. */
  dropWatches(): void;
  /** Ends all watches in order. */
  endWatches(): void;
  /** Ends each new watch in order after so many ms; undefined: no more. */
  endWatchesAfter(ms: number | undefined): void;
  /** Answers with failures. */
  fail(failure: InjectedFailure): void;
  /** The next deletions are not told to watches that are open. */
  loseDeletions(count: number): void;
  /** Writes a line that is no event into all watches. */
  garbage(line?: string): void;
  /** Sends an ERROR event with this status into all watches, and ends them. */
  errorEvent(code: number, reason?: string): void;
  /** Lists take so many ms longer. */
  slowLists(ms: number): void;
  /** Forgets history: older revisions are 410. As an event of a watch, or by HTTP status. */
  compact(how?: "event" | "status"): void;
  /** All faults end. */
  heal(): void;
}

/** Keeps the faults that are on, and the watches they hit. */
export class FaultBoard implements KubernetesFaults {
  readonly #watches = new Set<OpenWatch>();
  readonly #compact: () => void;
  #failures: { failure: InjectedFailure; left: number }[] = [];
  #lost = 0;
  silent = false;
  watchLife: number | undefined;
  listDelay = 0;
  goneByStatus = false;

  constructor(compact: () => void) {
    this.#compact = compact;
  }

  add(watch: OpenWatch): void {
    this.#watches.add(watch);
  }

  remove(watch: OpenWatch): void {
    this.#watches.delete(watch);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** The failure that this request is to get, if any. */
  failureFor(verb: string, resource: string): InjectedFailure | undefined {
    const found = this.#failures.find(
      ({ failure }) =>
        (failure.verb ?? verb) === verb && (failure.resource ?? resource) === resource,
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#failures = this.#failures.filter((other) => other !== found);
    return found.failure;
  }

  /** Whether this deletion is to be kept from watches; asked once for each. */
  losesDeletion(): boolean {
    if (this.#lost === 0) return false;
    this.#lost -= 1;
    return true;
  }

  silence(): void {
    this.silent = true;
  }

  speak(): void {
    this.silent = false;
    this.dropWatches();
  }

  dropWatches(): void {
    for (const watch of [...this.#watches]) watch.drop();
  }

  endWatches(): void {
    for (const watch of [...this.#watches]) watch.end();
  }

  endWatchesAfter(ms: number | undefined): void {
    this.watchLife = ms;
    if (ms !== undefined) this.endWatches();
  }

  fail(failure: InjectedFailure): void {
    this.#failures.push({ failure, left: failure.times ?? 1 });
  }

  loseDeletions(count: number): void {
    this.#lost = count;
  }

  garbage(line = "}{ not an event"): void {
    for (const watch of [...this.#watches]) watch.write(`${line}\n`);
  }

  errorEvent(code: number, reason = "InternalError"): void {
    const object = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason };
    for (const watch of [...this.#watches]) {
      watch.write(`${JSON.stringify({ type: "ERROR", object })}\n`);
      watch.end();
    }
  }

  slowLists(ms: number): void {
    this.listDelay = ms;
  }

  compact(how: "event" | "status" = "event"): void {
    this.goneByStatus = how === "status";
    this.#compact();
  }

  heal(): void {
    this.#failures = [];
    this.#lost = 0;
    this.watchLife = undefined;
    this.listDelay = 0;
    if (this.silent) this.speak();
  }
}
