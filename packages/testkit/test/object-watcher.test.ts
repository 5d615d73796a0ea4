import type { GroupVersionKind, NotificationEvent, Unstructured } from "@muster/core";
import { describeObjectWatcher } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { gadget, MemoryWatcher, widget } from "./examples/memory-watcher.ts";

type Reader = Parameters<MemoryWatcher["begin"]>[0];

const events = "gives all that is there, then every change";
const whole = "gives objects that say what they are, frozen through and through";
const deletion = "tells of a deletion at least kind, name and namespace";
const replaced = "tells that an object was replaced by another of its name";
const shared = "gives a later watch of the kind all that is there, and both the same objects";
const waits = "waits for a kind that does not exist, and says so";
const appears = "follows a kind that appears later, and says so";
const quiet = "works for somebody who does not ask why it waits";
const aborts = "ends when its signal aborts, and leaves nothing open";
const returns = "ends when it is returned, also while something waits for the next event";
const unread = "gives nothing when its signal had aborted before, or when it is returned unread";
const stops =
  "ends all its watches when it is stopped, once or twice, and gives nothing after that";

class ForgetsPresent extends MemoryWatcher {
  protected override begin(reader: Reader): void {
    const objects = [...this.objects];
    this.objects.clear();
    super.begin(reader);
    for (const [key, object] of objects) this.objects.set(key, object);
  }
}

class KeepsDeletions extends MemoryWatcher {
  protected override tell(kind: string, event: NotificationEvent): void {
    if (event.type !== "Delete") super.tell(kind, event);
  }
}

class LeavesObjectsOpen extends MemoryWatcher {
  protected override made(object: Unstructured): Unstructured {
    return Object.freeze(object);
  }
}

class LeavesKindOut extends MemoryWatcher {
  protected override made({ metadata }: Unstructured): Unstructured {
    return super.made({ ...(metadata && { metadata }) });
  }
}

class DeletesByNameAlone extends MemoryWatcher {
  protected override deletion({ metadata }: Unstructured): NotificationEvent {
    return { type: "Delete", object: { metadata: { name: metadata?.name ?? "" } } };
  }
}

class CopiesForEach extends MemoryWatcher {
  protected override tell(kind: string, event: NotificationEvent): void {
    for (const reader of this.readers)
      if (reader.kind === kind)
        reader.queue.push({ ...event, object: this.made({ ...event.object }) });
  }
}

class OneWatchPerKind extends MemoryWatcher {
  protected override begin(reader: Reader): void {
    for (const other of [...this.readers]) if (other.kind === reader.kind) other.queue.end();
    super.begin(reader);
  }
}

class ThrowsAtMissing extends MemoryWatcher {
  override watch(...args: Parameters<MemoryWatcher["watch"]>): AsyncIterable<NotificationEvent> {
    if (args[0].kind === gadget.kind) throw new Error("no such kind");
    return super.watch(...args);
  }
}

class WaitsInSilence extends MemoryWatcher {
  protected override missing(): void {}
}

class StaysBlind extends MemoryWatcher {
  protected override set(gvk: GroupVersionKind, name: string, mark: string): void {
    if (gvk.kind !== gadget.kind) super.set(gvk, name, mark);
  }
}

class InsistsOnListeners extends MemoryWatcher {
  protected override begin(reader: Reader): void {
    if (reader.options.onInterruption === undefined) reader.queue.end();
    else super.begin(reader);
    if (reader.options.onInterruption === undefined) throw new Error("who is to be told?");
  }
}

class IgnoresAborts extends MemoryWatcher {
  protected override begin(reader: Reader): void {
    const { signal } = new AbortController();
    super.begin({ ...reader, options: { ...reader.options, signal } });
  }
}

class LeavesWatchesOpen extends MemoryWatcher {
  #leaked = 0;

  protected override begin(reader: Reader): void {
    this.#leaked += 1;
    super.begin(reader);
  }

  override open(): number {
    return this.#leaked;
  }
}

class GivesToTheAborted extends MemoryWatcher {
  override watch(...args: Parameters<MemoryWatcher["watch"]>): AsyncIterable<NotificationEvent> {
    const { objects } = this;
    if (!args[1].signal.aborted) return super.watch(...args);
    return (async function* () {
      for (const object of objects.values()) yield { type: "AddOrUpdate", object } as const;
    })();
  }
}

class GoesOnAfterStop extends MemoryWatcher {
  override stop(): void {}
}

/** Everything that can be returned only between two events. */
class ReturnsLate extends MemoryWatcher {
  override watch(...args: Parameters<MemoryWatcher["watch"]>): AsyncIterable<NotificationEvent> {
    const whole = super.watch(...args);
    return (async function* () {
      yield* whole;
    })();
  }
}

const suite =
  (make: () => MemoryWatcher): ((api: Parameters<typeof describeObjectWatcher>[0]) => void) =>
  (api) =>
    describeObjectWatcher(api, { make, gvk: widget, missing: gadget, patience: 100 });

describeObjectWatcher(
  { describe, it },
  { make: () => new MemoryWatcher(), gvk: widget, missing: gadget },
);

describe("the object watcher suite fails a watcher that", () => {
  it.each<[what: string, Broken: new () => MemoryWatcher, test: string]>([
    ["leaves out what is there already", ForgetsPresent, events],
    ["does not tell of deletions", KeepsDeletions, events],
    ["gives objects that can be changed", LeavesObjectsOpen, whole],
    ["leaves the kind to the reader", LeavesKindOut, whole],
    ["deletes by name alone", DeletesByNameAlone, deletion],
    ["takes a replaced object for a changed one", KeepsDeletions, replaced],
    ["copies objects for each reader", CopiesForEach, shared],
    ["serves one watch of a kind", OneWatchPerKind, shared],
    ["throws at a kind that is missing", ThrowsAtMissing, waits],
    ["waits without a word", WaitsInSilence, waits],
    ["does not see a kind appear", StaysBlind, appears],
    ["insists on being asked why", InsistsOnListeners, quiet],
    ["ignores its signal", IgnoresAborts, aborts],
    ["leaves something open", LeavesWatchesOpen, aborts],
    ["is returned only between two events", ReturnsLate, returns],
    ["gives events to those that have aborted", GivesToTheAborted, unread],
    ["goes on after its stop", GoesOnAfterStop, stops],
  ])("%s", async (_what, Broken, test) => {
    expect(
      await failuresOf(
        suite(() => new Broken()),
        test,
      ),
    ).toEqual([test]);
  });
});
