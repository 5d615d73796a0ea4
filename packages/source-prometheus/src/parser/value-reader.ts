import { dot, hash, isBlank, skipBlanks, tokenEnd, zero } from "./characters.ts";
import { parseGoFloat } from "./go-float.ts";

/** Reads what follows a series on its line. One object per page: a line costs no allocation. */
export class ValueReader {
  /** Of the line read last. */
  value = 0;
  /** Of the line read last, ms. */
  timestamp: number | undefined;
  readonly #seconds: boolean;

  /** `seconds`: timestamps are OpenMetrics' seconds rather than ms. */
  constructor(seconds: boolean) {
    this.#seconds = seconds;
  }

  /**
   * Reads `value [timestamp] [# exemplar]`; false when it is something else. Exemplars are understood in
   * both formats, since servers send them in either, and not kept.
   */
  read(text: string, start: number, end: number): boolean {
    let at = this.#number(text, skipBlanks(text, start), end);
    if (at === -1) return false;
    this.timestamp = undefined;
    at = skipBlanks(text, at);
    if (at < end && text.charCodeAt(at) !== hash) {
      const stop = tokenEnd(text, at, end);
      this.timestamp = this.#time(text.slice(at, stop));
      if (this.timestamp === undefined) return false;
      at = skipBlanks(text, stop);
    }
    return at >= end || text.charCodeAt(at) === hash;
  }

  /** Reads the value; where it ended, or -1. */
  #number(text: string, start: number, end: number): number {
    // whole numbers, also written `8.0`, are most of a page: no substring for those
    let whole = 0;
    let at = start;
    for (; at < end; at++) {
      const digit = text.charCodeAt(at) - zero;
      if (!(digit >= 0 && digit <= 9)) break;
      whole = whole * 10 + digit;
    }
    if (at > start && at - start <= 15) {
      if (text.charCodeAt(at) === dot && text.charCodeAt(at + 1) === zero) at += 2;
      if (at >= end || isBlank(text.charCodeAt(at))) {
        this.value = whole;
        return at;
      }
    }
    const stop = tokenEnd(text, at, end);
    const value = parseGoFloat(text.slice(start, stop));
    if (value === undefined) return -1;
    this.value = value;
    return stop;
  }

  #time(token: string): number | undefined {
    if (!this.#seconds) return /^[+-]?\d{1,19}$/.test(token) ? Number(token) : undefined;
    const seconds = parseGoFloat(token);
    return seconds !== undefined && Number.isFinite(seconds)
      ? Math.round(seconds * 1000)
      : undefined;
  }
}
