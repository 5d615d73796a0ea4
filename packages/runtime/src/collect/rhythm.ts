/** Tasks due within this many ms of each other share one waking. */
const quantum = 5;
/** ms within which new endpoints are polled for the first time, however long the interval. */
const firstPollWithin = 1000;
/** The golden ratio's fraction: its multiples fill 0..1 evenly whatever their number. */
const goldenRatio = 0.618033988749895;

/**
 * When one endpoint is polled by one source. Endpoints are spread evenly over the interval and keep
 * their place in it. The first poll comes sooner, within a second; the second takes the place, at
 * least half an interval later.
 */
export class Rhythm {
  readonly first: number;
  readonly #interval: number;
  readonly #anchor: number;
  #earliest: number;
  #pausedUntil = 0;

  /** For the endpoint number `index` of a source that has `count`, which begins at `now`. */
  constructor(
    interval: number,
    { now, index, count }: { now: number; index: number; count: number },
  ) {
    const place = (index * goldenRatio) % 1;
    this.#interval = interval;
    this.#anchor = now + place * interval;
    // two polls per ms at most, so that a small fleet is seen at once
    this.first = now + place * Math.min(interval, firstPollWithin, count / 2);
    this.#earliest = this.first + interval / 2;
  }

  /** The first time of the rhythm after `now`. */
  after(now: number): number {
    const from = Math.max(now, this.#earliest);
    const turns = Math.floor((from - this.#anchor) / this.#interval) + 1;
    return Math.ceil((this.#anchor + turns * this.#interval) / quantum) * quantum;
  }

  /** Until `time`, polls that are due are left out. */
  pause(time: number): void {
    this.#earliest = time;
    this.#pausedUntil = time;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }
}
