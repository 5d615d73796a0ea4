import { eventually, verify } from "../../contracts/verify.ts";
import type { WorldObject } from "./world.ts";

/** What a reflector reports: changes of objects, and that a picture is complete. */
export type FollowedEvent =
  | { readonly type: "Added" | "Modified" | "Deleted"; readonly object: FollowedObject }
  | { readonly type: "Synced" };

/** An object as reported; of a deleted one only name and uid are certain. */
export interface FollowedObject {
  readonly metadata: Partial<Omit<WorldObject["metadata"], "name">> & { readonly name: string };
  readonly data?: unknown;
}

/** Reads events, checks that each fits what came before, and keeps what a reader believes. */
export class FollowedLog {
  readonly events: FollowedEvent[] = [];
  readonly objects: Map<string, FollowedObject> = new Map();
  /** What is wrong with the order of events. */
  problem: Error | undefined;
  readonly done: Promise<void>;
  readonly #patience: number;

  constructor(events: AsyncIterable<FollowedEvent>, patience: number) {
    this.#patience = patience;
    this.done = this.#read(events);
  }

  get synced(): number {
    return this.events.filter(({ type }) => type === "Synced").length;
  }

  /** Waits until exactly these objects are believed to be there. */
  async settles(names: readonly string[], what: string): Promise<void> {
    const read = (): unknown =>
      this.problem ? String(this.problem) : [...this.objects.keys()].sort();
    await eventually(read, [...names].sort(), what, this.#patience);
  }

  /** Waits until `read` gives `expected`. */
  async shows(read: () => unknown, expected: unknown, what: string): Promise<void> {
    await eventually(
      () => (this.problem ? String(this.problem) : read()),
      expected,
      what,
      this.#patience,
    );
  }

  async #read(events: AsyncIterable<FollowedEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.events.push(event);
        if (event.type !== "Synced") this.#apply(event.type, event.object);
      }
    } catch (error) {
      this.problem = error instanceof Error ? error : new Error(String(error));
    }
  }

  #apply(type: "Added" | "Modified" | "Deleted", object: FollowedObject): void {
    const { name, uid } = object.metadata;
    const before = this.objects.get(name);
    verify((before === undefined) === (type === "Added"), `${type} of ${name} does not fit`);
    if (type !== "Added")
      verify(before?.metadata.uid === uid, `${type} of ${name} is about another object`);
    if (type === "Deleted") this.objects.delete(name);
    else this.objects.set(name, object);
  }
}
