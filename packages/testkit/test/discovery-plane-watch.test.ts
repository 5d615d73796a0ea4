import type { Discovery, DiscoveryEvent } from "@muster/core/plane";
import { describeDiscoveryPlane } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { Worker, workerHarness } from "./examples/worker.ts";

class NoResync extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) =>
    event.type === "Resync" && event.instances.length > 0 ? [] : [event],
  );
}

class ResyncsAlways extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) =>
    this.inner.listAndWatch(query, { ...options, resync: true });
}

class ResyncFirst extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) =>
    event.type === "Resync" ? [event, event] : [event],
  );
}

class BeginsLate extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = async (query, options) => {
    const first = await this.inner.list(query);
    const begin = (): ReturnType<Discovery["listAndWatch"]> =>
      new Promise((resolve, reject) => {
        setTimeout(() => this.inner.listAndWatch(query, options).then(resolve, reject), 5);
      });
    return (async function* (): AsyncGenerator<DiscoveryEvent> {
      for (const instance of first) yield { type: "Added", instance };
      // what happened meanwhile is lost: additions only, as if they were all
      for await (const event of await begin()) if (event.type === "Added") yield event;
    })();
  };
}

class SaysNothingOfRemovals extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) =>
    event.type === "Removed" ? [] : [event],
  );
}

class ReportsModelsToAll extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) =>
    this.inner.listAndWatch(
      query.type === "EventSources" ? { type: "EventChannels" } : query,
      options,
    );
}

class SeesItselfOnly extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) =>
    event.type === "Added" && event.instance.instanceId !== this.instanceId ? [] : [event],
  );
}

class FirstValueOnly extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) => {
    const seen = new Set<string>();
    return this.filtered((event) => {
      if (event.type !== "Added") return [event];
      const { key } = event.instance.id();
      return seen.has(key) ? [] : [seen.add(key) && event];
    })(query, options);
  };
}

/** As the original once did. */
class RemovesTheBaseToo extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) => {
    if (event.type !== "Removed" || event.id.type !== "Model") return [event];
    const { instanceId } = event.id;
    const base = [...this.registry.instances.values()].find(
      (each) => each.type === "Model" && each.instanceId === instanceId,
    );
    return base ? [event, { type: "Removed", id: base.id() }] : [event];
  });
}

class OneStream extends Worker {
  readonly #ends: (() => unknown)[] = [];

  override listAndWatch: Discovery["listAndWatch"] = async (query, options) => {
    const stream = await this.inner.listAndWatch(query, options);
    const end = stream.return?.bind(stream);
    this.#ends.push(() => end?.());
    stream.return = async () => {
      await Promise.all(this.#ends.map((each) => each()));
      return { done: true, value: undefined };
    };
    return stream;
  };
}

class WithoutBound extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) =>
    this.inner.listAndWatch(query, { ...options, queueLimit: 100_000 });
}

class DropsWhenSlow extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) => {
    let events = 0;
    return this.filtered((event) => (++events > 4 ? [] : [event]))(query, options);
  };
}

class TaintsAsAdditions extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = this.filtered((event) => {
    if (event.type !== "ModelTaintsUpdated") return [event];
    const instance = this.registry.instances.get(event.id.key);
    return instance ? [{ type: "Added", instance }] : [];
  });
}

class IgnoresAborted extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) =>
    this.inner.listAndWatch(query, { ...options, signal: undefined });
}

class StaysOnReturn extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = async (...args) => {
    const stream = await this.inner.listAndWatch(...args);
    stream.return = async () => ({ done: true, value: undefined });
    return stream;
  };
}

class LeavesRecords extends Worker {
  override close: Discovery["close"] = async () => {
    const records = [...this.registry.instances.values()];
    await this.inner.close();
    for (const each of records)
      if (!this.registry.instances.has(each.id().key) && each.type === "EventSource")
        this.registry.put(each);
  };
}

class WatchesOn extends Worker {
  override listAndWatch: Discovery["listAndWatch"] = (query, options) =>
    new Worker(this.registry, undefined).listAndWatch(query, options);
}

class ListsOn extends Worker {
  override list: Discovery["list"] = (query, options) =>
    new Worker(this.registry, undefined).list(query, options);
}

class ClosesOnce extends Worker {
  #closed = false;

  override close: Discovery["close"] = async () => {
    if (this.#closed) throw new Error("closed already");
    this.#closed = true;
    await this.inner.close();
  };
}

const begins = "begins with what is there, then exactly one Resync of it";
const slow = "ends at the truth however slowly it is read, Resync";

describe("the discovery plane suite fails a plane whose watch", () => {
  it.each([
    ["has no Resync", NoResync, begins],
    ["has a Resync too many", ResyncFirst, begins],
    [
      "resyncs those who do not want it",
      ResyncsAlways,
      "reports differences only when Resync is not wanted",
    ],
    ["begins late", BeginsLate, "misses nothing between set-up and the first read"],
    [
      "says nothing of removals",
      SaysNothingOfRemovals,
      "reports what comes and goes, of each kind to those who ask for it",
    ],
    [
      "watches another kind",
      ReportsModelsToAll,
      "reports what comes and goes, of each kind to those who ask for it",
    ],
    ["shows its own records only", SeesItselfOnly, "shows two workers each other"],
    [
      "keeps the first value",
      FirstValueOnly,
      "ends at the new value when a record is taken away and registered anew",
    ],
    [
      "removes a base with its adapter",
      RemovesTheBaseToo,
      "reports an adapter's removal by its own id, and keeps its base model",
    ],
    ["ends with another", OneStream, "keeps streams apart"],
    ["has no bound", WithoutBound, `${slow} on`],
    ["loses what is too much", DropsWhenSlow, `${slow} on`],
    ["loses what is too much, without Resync", DropsWhenSlow, `${slow} off`],
    [
      "adds a model again for its taints",
      TaintsAsAdditions,
      "replaces the taints of a model, sorted, and nothing else of it",
    ],
    ["begins after the abort", IgnoresAborted, "refuses to watch once its signal is aborted"],
    [
      "goes on after the abort",
      IgnoresAborted,
      "ends a watch quietly when its signal aborts later, and no other",
    ],
    ["goes on when it is returned", StaysOnReturn, "ends a watch that is returned, at once"],
    ["outlives its worker", WatchesOn, "ends its watches when it closes"],
  ])("%s", async (_what, Broken, test) => {
    expect(await failures(Broken, test)).toEqual([test]);
  });
});

describe("the discovery plane suite fails a worker that", () => {
  it.each([
    [
      "leaves records behind",
      LeavesRecords,
      "takes away at close what it registered, and nothing else",
    ],
    ["closes once", ClosesOnce, "closes once however often it is asked"],
    ["works on after close", ListsOn, "refuses every call after close"],
  ])("%s", async (_what, Broken, test) => {
    expect(await failures(Broken, test)).toEqual([test]);
  });
});

function failures(Broken: typeof Worker, test: string): Promise<readonly string[]> {
  return failuresOf((api) => describeDiscoveryPlane(api, workerHarness(Broken)), test);
}
