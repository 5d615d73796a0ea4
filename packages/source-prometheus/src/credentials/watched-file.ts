import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { type Clock, MusterError, messageOf } from "@muster/core";

/** Larger than any token, key or chain of certificates. */
const maxBytes = 256 * 1024;

/** How often a file is looked at, ms: tokens and certificates are rotated by the hour at most. */
const checkEvery = 5000;

/** A text and what tells it from another version of the file. */
interface Content {
  readonly text: string;
  readonly version: string;
}

/** A small file that is read again when it changed; Kubernetes' symlink swaps are changes too. */
export class WatchedFile {
  readonly path: string;
  readonly #clock: Clock;
  #content: Content | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<string> | undefined;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /**
   * The content, at once when it was looked at within 5 s.
   *
   * @throws MusterError SCRAPE_CREDENTIALS when it cannot be read or is larger than 256 KiB.
   */
  read(): string | Promise<string> {
    if (this.#content !== undefined && this.#clock.monotonic() - this.#checkedAt < checkEvery)
      return this.#content.text;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Looks at the file again at the next read: what it said was refused. */
  doubt(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  async #check(): Promise<string> {
    try {
      const { dev, ino, size, mtimeMs } = await stat(this.path);
      const version = `${dev} ${ino} ${size} ${mtimeMs}`;
      if (this.#content?.version !== version) this.#content = { text: await this.#load(), version };
    } catch (error) {
      this.#content = undefined;
      const message = `cannot read "${this.path}": ${messageOf(error)}`;
      throw new MusterError("SCRAPE_CREDENTIALS", message, { path: this.path, cause: error });
    }
    this.#checkedAt = this.#clock.monotonic();
    return this.#content.text;
  }

  async #load(): Promise<string> {
    // opening a pipe that has no writer would wait for ever, in a thread that name look-ups share
    const file = await open(this.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) throw new Error("it is no regular file");
      const buffer = new Uint8Array(maxBytes + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        length += bytesRead;
        if (length > maxBytes) throw new Error(`larger than ${maxBytes / 1024} KiB`);
        if (bytesRead === 0) return new TextDecoder().decode(buffer.subarray(0, length));
      }
    } finally {
      await file.close();
    }
  }
}
