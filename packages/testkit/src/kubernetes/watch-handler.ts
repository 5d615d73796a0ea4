import type { ServerResponse } from "node:http";
import type { ApiObject } from "./api-object.ts";
import type { FaultBoard, OpenWatch } from "./faults.ts";
import { writeJson } from "./json.ts";
import { present } from "./presentation.ts";
import { apiVersionOf, qualifiedName, type ResourceType, storageKey } from "./resource-types.ts";
import { type Selector, selectorOf } from "./selectors.ts";
import { badRequest, expired, failure, invalid, type StatusError, tooNew } from "./status.ts";
import type { Storage, StorageEvent } from "./storage.ts";

/** What a watch is about. */
export interface WatchRequest {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** One object alone, by its path. */
  readonly name: string | undefined;
  readonly query: URLSearchParams;
}

/** Answers watches: history from a revision, then changes as they come, and bookmarks. */
export class WatchHandler {
  readonly #storage: Storage;
  readonly #faults: FaultBoard;
  readonly #bookmarkInterval: number;

  /** @param bookmarkInterval ms between bookmarks */
  constructor(storage: Storage, faults: FaultBoard, bookmarkInterval: number) {
    this.#storage = storage;
    this.#faults = faults;
    this.#bookmarkInterval = bookmarkInterval;
  }

  /** Writes to `response` until the watch ends. @throws StatusError */
  watch(request: WatchRequest, response: ServerResponse): void {
    const from = revisionOf(request.query);
    const selected = selectorOf(request.type, request.query);
    const tooOld = this.#tooOld(from);
    if (tooOld && this.#faults.goneByStatus) throw tooOld;
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (tooOld) response.end(`${JSON.stringify({ type: "ERROR", object: failure(tooOld) })}\n`);
    else this.#follow({ ...request, from, selected }, response);
  }

  #tooOld(from: number): StatusError | undefined {
    const { compacted, revision } = this.#storage;
    if (from > revision) throw tooNew(String(from), revision);
    if (from === 0 || from >= compacted) return undefined;
    return expired(`too old resource version: ${from} (${compacted})`);
  }

  #follow(request: WatchRequest & WatchStart, response: ServerResponse): void {
    if (response.destroyed) return;
    const { type, namespace, name, query, from, selected } = request;
    const within = ({ metadata }: ApiObject): boolean =>
      (namespace === undefined || metadata.namespace === namespace) &&
      (name === undefined || metadata.name === name);
    const filter: Selector = (object) => within(object) && selected(object);
    const stream = new WatchStream(type, response, this.#faults);
    if (from === 0) {
      for (const object of this.#storage.list(type, namespace).filter(filter))
        stream.send("ADDED", object);
    } else {
      const missed = this.#storage.since(storageKey(type), from);
      for (const event of missed) stream.change(event, filter);
    }
    const unlisten = this.#storage.listen((event) => {
      if (event.resource === storageKey(type)) stream.change(event, filter, true);
      else if (undefines(event, type)) stream.end();
    });
    const timers = this.#timers(query, stream);
    this.#faults.add(stream);
    response.on("close", () => {
      unlisten();
      this.#faults.remove(stream);
      for (const timer of timers) clearTimeout(timer);
    });
  }

  #timers(query: URLSearchParams, stream: WatchStream): ReturnType<typeof setTimeout>[] {
    const timers: ReturnType<typeof setTimeout>[] = [];
    const bookmark = (): void => stream.bookmark(this.#storage.revision);
    const bookmarks = query.get("allowWatchBookmarks") === "true";
    if (bookmarks) timers.push(setInterval(bookmark, this.#bookmarkInterval));
    const life = this.#faults.watchLife ?? Number(query.get("timeoutSeconds") ?? 1800) * 1000;
    const end = (): void => {
      if (bookmarks) bookmark();
      stream.end();
    };
    timers.push(setTimeout(end, life));
    return timers;
  }
}

/** Where a watch begins, and what it lets through. */
interface WatchStart {
  /** 0: with all objects there are. */
  readonly from: number;
  readonly selected: Selector;
}

function revisionOf(query: URLSearchParams): number {
  if (query.get("sendInitialEvents") === "true")
    throw badRequest("sendInitialEvents is forbidden for watch unless the feature is enabled");
  const text = query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(text))
    throw invalid("ListOptions", `resourceVersion: Invalid value: "${text}"`);
  return Number(text);
}

/** Whether a kind ceases to exist with this change. */
function undefines({ resource, before, after }: StorageEvent, type: ResourceType): boolean {
  return (
    resource === "apiextensions.k8s.io/customresourcedefinitions" &&
    after === undefined &&
    before?.metadata.name === qualifiedName(type)
  );
}

class WatchStream implements OpenWatch {
  readonly #type: ResourceType;
  readonly #response: ServerResponse;
  readonly #faults: FaultBoard;

  constructor(type: ResourceType, response: ServerResponse, faults: FaultBoard) {
    this.#type = type;
    this.#response = response;
    this.#faults = faults;
  }

  /** What a change is to somebody who sees only selected objects. */
  change({ before, after }: StorageEvent, filter: Selector, live = false): void {
    const was = before !== undefined && filter(before);
    const is = after !== undefined && filter(after);
    if (is) this.send(was ? "MODIFIED" : "ADDED", after);
    else if (was && !(live && this.#faults.losesDeletion())) {
      // an object that is not selected any more is deleted, under the revision of the change
      const revision = (after ?? before).metadata.resourceVersion;
      const metadata = { ...before.metadata, resourceVersion: revision };
      this.send("DELETED", { ...before, metadata });
    }
  }

  send(type: string, object: ApiObject): void {
    this.#line({ type, object: present(this.#type, object) });
  }

  bookmark(revision: number): void {
    this.#line({
      type: "BOOKMARK",
      object: {
        kind: this.#type.kind,
        apiVersion: apiVersionOf(this.#type),
        metadata: { resourceVersion: String(revision), creationTimestamp: null },
      },
    });
  }

  write(line: string): void {
    // one that has ended counts as open until its connection knows
    if (!this.#faults.silent && !this.#response.writableEnded) this.#response.write(line);
  }

  end(): void {
    if (!this.#faults.silent) this.#response.end();
  }

  drop(): void {
    this.#response.destroy();
  }

  #line(event: object): void {
    this.write(`${writeJson(event)}\n`);
  }
}
