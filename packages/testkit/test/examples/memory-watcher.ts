import {
  freezePlain,
  type GroupVersionKind,
  MusterError,
  type NotificationEvent,
  type ObjectWatcher,
  type ObjectWatchOptions,
  type TypedName,
  typedName,
  type Unstructured,
} from "@muster/core";
import type { ObjectWatcherWorld } from "@muster/testkit";
import { EventQueue } from "./event-queue.ts";

export const widget: GroupVersionKind = { group: "acme.dev", version: "v1", kind: "Widget" };
export const gadget: GroupVersionKind = { ...widget, kind: "Gadget" };

type Queue = EventQueue<NotificationEvent>;

interface Reader {
  readonly kind: string;
  readonly queue: Queue;
  readonly options: ObjectWatchOptions;
}

/** An object watcher whose objects are in memory: the smallest that keeps the contract. */
export class MemoryWatcher implements ObjectWatcher, ObjectWatcherWorld {
  readonly typedName: TypedName = typedName("memory-watcher");
  readonly watcher: ObjectWatcher = this;
  protected readonly objects: Map<string, Unstructured> = new Map();
  protected readonly readers: Set<Reader> = new Set();
  #kinds = new Set([widget.kind]);
  #revision = 0;
  #stopped = false;

  watch({ kind }: GroupVersionKind, options: ObjectWatchOptions): AsyncIterable<NotificationEvent> {
    return { [Symbol.asyncIterator]: () => this.#follow(kind, options) };
  }

  put(name: string, mark: string): void {
    this.set(widget, name, mark);
  }

  remove(name: string): void {
    const object = this.objects.get(`${widget.kind}/${name}`);
    if (object === undefined) return;
    this.objects.delete(`${widget.kind}/${name}`);
    this.tell(widget.kind, this.deletion(object));
  }

  install(name: string): void {
    this.#kinds.add(gadget.kind);
    for (const { kind, options } of this.readers)
      if (kind === gadget.kind) options.onInterruption?.(undefined);
    this.set(gadget, name, "1");
  }

  open(): number {
    return this.readers.size;
  }

  stop(): void {
    this.#stopped = true;
    for (const { queue } of [...this.readers]) queue.end();
  }

  #follow(kind: string, options: ObjectWatchOptions): Queue {
    const queue: Queue = new EventQueue({
      limit: 1000,
      resync: () => this.deletion({}),
      onEnd: () => this.readers.delete(reader),
    });
    const reader: Reader = { kind, queue, options };
    if (this.#stopped || options.signal.aborted) queue.end();
    else this.begin(reader);
    return queue;
  }

  protected begin(reader: Reader): void {
    const { kind, queue, options } = reader;
    this.readers.add(reader);
    options.signal.addEventListener("abort", () => queue.end());
    if (!this.#kinds.has(kind)) this.missing(reader);
    for (const [key, object] of this.objects)
      if (key.startsWith(`${kind}/`)) queue.push({ type: "AddOrUpdate", object });
  }

  protected missing({ options, kind }: Reader): void {
    options.onInterruption?.(new MusterError("KUBE_NOT_FOUND", `no kind ${kind}`));
  }

  protected set({ group, version, kind }: GroupVersionKind, name: string, mark: string): void {
    this.#revision += 1;
    const key = `${kind}/${name}`;
    const resourceVersion = String(this.#revision);
    const uid = this.objects.get(key)?.metadata?.uid ?? resourceVersion;
    const metadata = {
      ...{ name, namespace: "default", uid, resourceVersion },
      annotations: { mark },
    };
    const object = this.made({ apiVersion: `${group}/${version}`, kind, metadata });
    this.objects.set(key, object);
    this.tell(kind, { type: "AddOrUpdate", object });
  }

  protected made(object: Unstructured): Unstructured {
    return freezePlain(object);
  }

  protected deletion({
    apiVersion = "",
    kind = "",
    metadata = {},
  }: Unstructured): NotificationEvent {
    const { name = "", namespace = "" } = metadata;
    return {
      type: "Delete",
      object: freezePlain({ apiVersion, kind, metadata: { name, namespace } }),
    };
  }

  protected tell(kind: string, event: NotificationEvent): void {
    for (const reader of [...this.readers]) if (reader.kind === kind) reader.queue.push(event);
  }
}
