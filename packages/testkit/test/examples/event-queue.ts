/** Options of {@link EventQueue}. */
export interface EventQueueOptions<Event> {
  readonly limit: number;
  /** What replaces all waiting events when there are too many. */
  resync(): Event;
  onEnd(): void;
}

/** Events that wait for their reader: the smallest stream with a bound. */
export class EventQueue<Event> implements AsyncIterableIterator<Event> {
  #events: Event[] = [];
  #waiting: ((result: IteratorResult<Event>) => void) | undefined;
  #ended = false;
  readonly #options: EventQueueOptions<Event>;

  constructor(options: EventQueueOptions<Event>) {
    this.#options = options;
  }

  push(event: Event): void {
    if (this.#ended) return;
    this.#events.push(event);
    if (this.#events.length > this.#options.limit) this.#events = [this.#options.resync()];
    this.#serve();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd();
    this.#serve();
  }

  async next(): Promise<IteratorResult<Event>> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#events = [];
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #serve(): void {
    if (this.#waiting === undefined) return;
    const event = this.#events.shift();
    if (event === undefined && !this.#ended) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting(event !== undefined ? { done: false, value: event } : { done: true, value: undefined });
  }
}
