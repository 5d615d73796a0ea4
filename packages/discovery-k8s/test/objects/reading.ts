import type { GroupVersionKind, MusterError, NotificationEvent, ObjectWatcher } from "@muster/core";
import { expect } from "vitest";

const patience = { timeout: 8000, interval: 5 };

/** A watch that is read until it is stopped, and what it gave. */
export class Reading {
  readonly events: NotificationEvent[] = [];
  /** Why the kind cannot be followed now. */
  problem: MusterError | undefined;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(watcher: ObjectWatcher, gvk: GroupVersionKind) {
    this.#done = this.#read(watcher, gvk);
  }

  /** What is there, by name: mark, or "" for an object without one. */
  get marks(): Record<string, string> {
    const marks = new Map<string, string>();
    for (const { type, object } of this.events) {
      const { name = "", annotations } = object.metadata ?? {};
      // every namespace of a real cluster has one of these
      if (name === "kube-root-ca.crt") continue;
      if (type === "Delete") marks.delete(name);
      else marks.set(name, annotations?.mark ?? "");
    }
    return Object.fromEntries(marks);
  }

  async shows(marks: Record<string, string>): Promise<void> {
    await expect.poll(() => this.marks, patience).toEqual(marks);
  }

  async says(code: string | undefined): Promise<void> {
    await expect.poll(() => this.problem?.code, patience).toBe(code);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #read(watcher: ObjectWatcher, gvk: GroupVersionKind): Promise<void> {
    const { signal } = this.#stopping;
    const onInterruption = (reason: MusterError | undefined): void => {
      this.problem = reason;
    };
    for await (const event of watcher.watch(gvk, { signal, onInterruption }))
      this.events.push(event);
  }
}
