import { describeKeyValueStore } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { MemoryKeyValueStore } from "./examples/memory-key-value-store.ts";
import { storeHarness } from "./examples/memory-store-harness.ts";

describeKeyValueStore({ describe, it }, storeHarness(MemoryKeyValueStore));

type Store = MemoryKeyValueStore;

class Overwrites extends MemoryKeyValueStore {
  override create(bucket: string, key: string, value: string): boolean {
    this.registry.put(bucket, key, { value, owner: this });
    return true;
  }
}

class CreatesLate extends MemoryKeyValueStore {
  override create(bucket: string, key: string, value: string): boolean {
    if (this.registry.entries(bucket).has(key)) return false;
    queueMicrotask(() => this.registry.put(bucket, key, { value, owner: this }));
    return true;
  }
}

class OneBucket extends MemoryKeyValueStore {
  override bucket(): ReturnType<Store["bucket"]> {
    return super.bucket("v1/instances");
  }
}

class ReplacesAnything extends MemoryKeyValueStore {
  override replace(...[bucket, key, change]: Parameters<Store["replace"]>): boolean {
    const expected = this.registry.entries(bucket).get(key)?.value;
    return expected !== undefined && super.replace(bucket, key, { ...change, expected });
  }
}

class ReplacesLate extends MemoryKeyValueStore {
  override replace(...[bucket, key, change]: Parameters<Store["replace"]>): boolean {
    const matches = this.registry.entries(bucket).get(key)?.value === change.expected;
    if (matches)
      queueMicrotask(() => this.registry.put(bucket, key, { value: change.value, owner: this }));
    return matches;
  }
}

class DeletesOwnOnly extends MemoryKeyValueStore {
  override delete(bucket: string, key: string): boolean {
    const entry = this.registry.entries(bucket).get(key);
    return entry?.owner === this && super.delete(bucket, key);
  }
}

class RawPrefix extends MemoryKeyValueStore {
  override isUnder(prefix: string, key: string): boolean {
    return key.startsWith(prefix);
  }
}

class MixesUpKeys extends MemoryKeyValueStore {
  override create(bucket: string, key: string, value: string): boolean {
    return super.create(bucket, key.toLowerCase(), value);
  }
}

class TrimsValues extends MemoryKeyValueStore {
  override create(bucket: string, key: string, value: string): boolean {
    return super.create(bucket, key, value.trim());
  }
}

class HasNoLimits extends MemoryKeyValueStore {
  override enter(signal: AbortSignal | undefined, key?: string): void {
    super.enter(signal, key);
  }
}

class IgnoresAborted extends MemoryKeyValueStore {
  override enter(...[, key, value]: Parameters<Store["enter"]>): void {
    super.enter(undefined, key, value);
  }
}

class SharesItsId extends MemoryKeyValueStore {
  override readonly connectionId: bigint = 1n;
}

class LeavesKeysBehind extends MemoryKeyValueStore {
  protected override leave(): void {}
}

class TakesAllKeys extends MemoryKeyValueStore {
  protected override leave(): void {
    this.registry.removeAll(() => true);
  }
}

class TakesWhatItOnceWrote extends MemoryKeyValueStore {
  readonly #written = new Set<string>();

  override create(bucket: string, key: string, value: string): boolean {
    this.#written.add(key);
    return super.create(bucket, key, value);
  }

  protected override leave(): void {
    this.registry.removeAll((key) => this.#written.has(key));
  }
}

class StaysOpen extends MemoryKeyValueStore {
  override async close(): Promise<void> {
    this.leave();
  }
}

class LosesItsKeys extends MemoryKeyValueStore {
  override touch(): void {
    this.leave();
  }
}

class RevivesItsKeys extends MemoryKeyValueStore {
  override touch(): void {
    if (!this.controller.signal.aborted) this.create("v1/instances", "goes", "1");
  }
}

class Immortal extends MemoryKeyValueStore {
  override create(bucket: string, key: string, value: string): boolean {
    const nobody = new MemoryKeyValueStore(this.registry);
    return nobody.create(bucket, key, value);
  }
}

const once = "creates a key once and leaves the value of a second creation alone";
const alive = "keeps keys alive beyond their lifetime, and reports none of it";
const hostile = "keeps or refuses hostile keys, and mixes none up";
const leaves = "takes its own keys away when it closes, and no others";

describe("the key-value store suite fails a store that", () => {
  it.each([
    ["overwrites", Overwrites, once],
    ["creates after it says so", CreatesLate, "lets exactly one of several clients create a key"],
    ["has one bucket only", OneBucket, "keeps buckets apart"],
    [
      "replaces whatever is there",
      ReplacesAnything,
      "replaces a value that is what it was, and no other",
    ],
    ["compares too early", ReplacesLate, "loses no update of clients that race"],
    [
      "deletes its own keys only",
      DeletesOwnOnly,
      "deletes whoever wrote it, and says whether it was there",
    ],
    ["compares prefixes as text", RawPrefix, "takes a prefix as a path: ns1 is not ns10"],
    ["changes keys", MixesUpKeys, hostile],
    ["changes values", TrimsValues, "gives back values to the character"],
    [
      "takes values of any size",
      HasNoLimits,
      "refuses a value that is far too large, and stays usable",
    ],
    ["works for a caller that left", IgnoresAborted, "refuses to begin once its signal is aborted"],
    [
      "gives all clients one id",
      SharesItsId,
      "has a type, an id of 64 bits that is its own, and answers a check",
    ],
    ["leaves its keys behind", LeavesKeysBehind, leaves],
    ["takes others' keys along", TakesAllKeys, leaves],
    [
      "takes keys along that are another's by now",
      TakesWhatItOnceWrote,
      "leaves a key alone at close that another client has created since",
    ],
    ["works on after close", StaysOpen, "refuses every call after close"],
    ["does not keep its keys alive", LosesItsKeys, alive],
    ["brings back what was deleted", RevivesItsKeys, alive],
    [
      "writes keys without a lifetime",
      Immortal,
      "lets go of the keys of a client that died, and of no others",
    ],
  ])("%s", async (_what, Broken, test) => {
    const failures = await failuresOf(
      (api) => describeKeyValueStore(api, storeHarness(Broken)),
      test,
    );
    expect(failures).toEqual([test]);
  });
});
