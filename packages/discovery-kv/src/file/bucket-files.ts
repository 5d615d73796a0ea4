import { join } from "node:path";
import type { Clock } from "@muster/core";
import { decodeFileName } from "./file-name.ts";
import type { FsClock } from "./fs-clock.ts";
import {
  glanceAt,
  type Look,
  lookAt,
  type Refusal,
  type Signature,
  sameFile,
  sameSignature,
} from "./look.ts";
import { inParallel } from "./parallel.ts";
import type { Reporter } from "./reporter.ts";
import { isComplete, Rereads } from "./rereads.ts";
import { isShown, isStale, revive, type SeenFile } from "./seen-file.ts";
import { removeFile } from "./temp-file.ts";

/** What {@link BucketFiles} needs. */
export interface BucketFilesOptions {
  readonly bucket: string;
  readonly clock: Clock;
  readonly fsClock: FsClock;
  /** ms. */
  readonly ttl: number;
  readonly reporter: Reporter;
  /** Whether a file is ours: those are neither hidden nor removed. */
  readonly isOwn: (name: string) => boolean;
  readonly onPut: (key: string, value: string) => void;
  readonly onDelete: (key: string) => void;
}

/** How files are looked at. */
export interface ExamineOptions {
  /** Read, even if their signature is the same. */
  readonly force?: boolean | undefined;
  /** In a round: what has not changed is one round closer to being stale. */
  readonly round?: boolean | undefined;
}

/** The files of one bucket as they were seen last, and what is new when they are looked at again. */
export class BucketFiles {
  /** Where they are. */
  directory = "";
  /** Contents matter: somebody watches. */
  reading = false;
  readonly rereads: Rereads = new Rereads();
  readonly #options: BucketFilesOptions;
  readonly #files = new Map<string, SeenFile>();

  constructor(options: BucketFilesOptions) {
    this.#options = options;
  }

  /** What readers see, of some keys. */
  snapshot(includes: (key: string) => boolean): ReadonlyMap<string, string> {
    const entries = new Map<string, string>();
    for (const file of this.#files.values())
      if (isShown(file) && includes(file.key)) entries.set(file.key, file.value);
    return entries;
  }

  /** Whether a file that looks like this is as good as gone: its writer is dead. */
  async isOutdated(name: string, signature: Signature): Promise<boolean> {
    if (this.#options.isOwn(name)) return false;
    const file = this.#files.get(name);
    if (file && sameSignature(file.signature, signature)) return file.hidden;
    const { clock, fsClock, ttl } = this.#options;
    if (clock.now() - signature.mtimeMs < ttl / 2) return false;
    const now = await fsClock.now();
    return now !== undefined && now - signature.mtimeMs > ttl;
  }

  /** Forgets the files, or only their contents, when nobody watches any more. */
  forget(what: "all" | "contents"): void {
    this.rereads.clear();
    if (what === "all") this.#files.clear();
    else for (const file of this.#files.values()) file.value = undefined;
  }

  /** We wrote a file: it is read whatever its signature, which a reused inode may repeat. */
  wrote(name: string): void {
    const file = this.#files.get(name);
    if (file) file.signature = { ...file.signature, ino: -1 };
  }

  /** The keep-alive has touched an own file. */
  touched(name: string, mtimeMs: number): void {
    const file = this.#files.get(name);
    if (file) revive(file, { ...file.signature, mtimeMs }, this.#options.clock.monotonic());
  }

  /** Names to look at after a listing: what is new or gone, or `all`. */
  differences(names: ReadonlySet<string>, all: boolean): string[] {
    const gone = [...this.#files.keys()].filter((name) => !names.has(name));
    const unread = [...names].filter((name) => {
      const file = this.#files.get(name);
      if (all || file === undefined) return true;
      return this.reading && file.value === undefined && file.refused === undefined;
    });
    return [...gone, ...unread];
  }

  /** Looks at files and reports what has changed. */
  async examine(names: Iterable<string>, options: ExamineOptions = {}): Promise<void> {
    await inParallel(names, (name) => this.#examine(name, options));
  }

  /** Removes the files that nobody keeps alive. */
  async expire(): Promise<void> {
    const { ttl, clock, isOwn } = this.#options;
    const now = clock.monotonic();
    const stale = [...this.#files].filter(
      ([name, file]) => file.refused === undefined && isStale(file, ttl, now) && !isOwn(name),
    );
    await inParallel(stale, ([name, file]) => this.#expire(name, file));
  }

  async #examine(name: string, { force = false, round = false }: ExamineOptions): Promise<void> {
    const known = this.#files.get(name);
    // its event came since the last round
    if (round && known?.changed) {
      known.changed = false;
      return;
    }
    const look = await this.#look(name, known, force);
    if (look.type === "gone") this.#drop(name, known);
    else if (look.type === "refused") this.#refuse(name, known, look.reason);
    else if (look.type === "found") await this.#found(name, known, look);
    else if (known && round) known.rounds++;
    const file = round ? this.#files.get(name) : undefined;
    if (file) file.changed = false;
  }

  #look(name: string, known: SeenFile | undefined, force: boolean): Promise<Look> {
    const path = join(this.directory, name);
    const isRecord = known?.key !== undefined || decodeFileName(name) !== undefined;
    if (!this.reading || !isRecord) return glanceAt(path, known?.signature);
    return lookAt(path, force || known?.value === undefined ? undefined : known.signature);
  }

  async #found(
    name: string,
    known: SeenFile | undefined,
    { signature, value }: Look & { type: "found" },
  ): Promise<void> {
    const { clock, onPut, onDelete } = this.#options;
    const key = known?.key ?? decodeFileName(name);
    if (key === undefined) return this.#refuse(name, known, "name");
    const hidden = known === undefined && (await this.isOutdated(name, signature));
    const before = isShown(known) ? known.value : undefined;
    const file = known ?? newFile(key, signature, hidden);
    if (known === undefined) this.#files.set(name, file);
    const recreated = known !== undefined && isAnother(known.signature, signature);
    const alive = known === undefined || !sameSignature(known.signature, signature);
    if (alive) revive(file, signature, clock.monotonic());
    if (known && alive) file.hidden = false;
    file.value = value;
    file.refused = undefined;
    if (value !== undefined)
      this.rereads.saw(name, { value, isNew: value !== before, now: clock.monotonic() });
    if (!isShown(file) || file.value === before) return;
    // removed and created again in between: not the record that it was
    if (before !== undefined && recreated && isComplete(file.value)) onDelete(key);
    onPut(key, file.value);
  }

  #drop(name: string, known: SeenFile | undefined): void {
    this.rereads.forget(name);
    this.#files.delete(name);
    if (isShown(known)) this.#options.onDelete(known.key);
  }

  #refuse(name: string, known: SeenFile | undefined, reason: Refusal): void {
    const { bucket, reporter, onDelete } = this.#options;
    if (known?.refused !== reason) reporter.ignored(bucket, name, reason);
    this.#drop(name, undefined);
    const file = newFile(decodeFileName(name), noSignature, false);
    file.refused = reason;
    this.#files.set(name, file);
    if (isShown(known)) onDelete(known.key);
  }

  async #expire(name: string, file: SeenFile): Promise<void> {
    const { bucket, reporter, onDelete, isOwn } = this.#options;
    const path = join(this.directory, name);
    const look = await glanceAt(path, file.signature);
    if (look.type === "found" || isOwn(name)) return;
    if (!file.hidden) reporter.expired(bucket, file.key ?? name);
    const shown = isShown(file);
    file.hidden = true;
    try {
      if (look.type === "same") await removeFile(path);
      this.#drop(name, undefined);
    } catch {
      // it is another user's: whoever may remove it does, and nobody sees it here
    }
    if (shown && file.key !== undefined) onDelete(file.key);
  }
}

const noSignature: Signature = { ino: 0, size: 0, mtimeMs: 0, birthtimeMs: 0, replaced: false };

/** Whether a file was created, rather than written to or put in another's place. */
function isAnother(before: Signature, after: Signature): boolean {
  return !after.replaced && !sameFile(before, after);
}

function newFile(key: string | undefined, signature: Signature, hidden: boolean): SeenFile {
  return {
    key,
    signature,
    value: undefined,
    refused: undefined,
    hidden,
    rounds: 0,
    since: 0,
    changed: false,
  };
}
