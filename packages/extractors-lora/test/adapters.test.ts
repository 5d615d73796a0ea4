import { describe, expect, it } from "vitest";
import { createBench, fixtureTime, series } from "./support.ts";

const now = fixtureTime;

describe("section 9: the series with the greatest value wins", () => {
  it("wherever it stands", async () => {
    const bench = createBench();
    await bench.poll(series(now - 2, "a") + series(now - 1, "b") + series(now - 3, "c"));
    expect(bench.state?.active).toEqual(["b"]);
    expect(bench.state?.lastSeen).toBe((now - 1) * 1000);
  });

  it("the first of equals", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a") + series(now, "b"));
    expect(bench.state?.active).toEqual(["a"]);
  });

  it("a value beyond a minute in the future is not the newest", async () => {
    const bench = createBench();
    await bench.poll(series(now - 600, "a") + series(2 * now, "b") + series(now + 61, "c"));
    expect(bench.state?.active).toEqual(["a"]);
    await bench.poll(series(now - 600, "a") + series(now + 59, "c"));
    expect(bench.state?.active).toEqual(["c"]);
  });

  it("where all are sums over API servers, the one with the latest mean wins, its time unknown", async () => {
    const bench = createBench();
    await bench.poll(series(2 * (now - 5), "b") + series(3 * (now - 86_400), "a"));
    expect(bench.state).toMatchObject({ active: ["b"], lastSeen: null });
  });

  it.each(["NaN", "+Inf", "-1"])("%s is no time", async (value) => {
    const bench = createBench();
    await bench.poll(series(value, "a"));
    expect(bench.state).toBeUndefined();
    await bench.poll(series(value, "a") + series(now, "b"));
    expect(bench.state?.active).toEqual(["b"]);
  });
});

describe("section 9: adapter lists", () => {
  it("have other names on early vLLM, whose value is no time", async () => {
    const bench = createBench();
    await bench.poll(
      'vllm:lora_requests_info{max_lora="1",running_adapters="a",waiting_adapters="b"} 1.0\n',
    );
    expect(bench.state).toEqual({ active: ["a"], waiting: ["b"], max: 1, lastSeen: null });
  });

  it("are split at commas, trimmed, without empty ones, unique and sorted", async () => {
    const bench = createBench();
    await bench.poll(series(now, " b, a ,,b", { waiting_lora_adapters: " ,c" }));
    expect(bench.state).toMatchObject({ active: ["a", "b"], waiting: ["c"] });
  });

  it("may name an adapter as running and waiting", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a", { waiting_lora_adapters: "a" }));
    expect(bench.state).toMatchObject({ active: ["a"], waiting: ["a"] });
  });

  it("fill the seed's metrics as well: name to 0", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a,b", { waiting_lora_adapters: "c" }));
    const { activeModels, waitingModels, maxActiveModels, readAt } = bench.endpoint.metrics;
    expect({ ...activeModels }).toEqual({ a: 0, b: 0 });
    expect({ ...waitingModels }).toEqual({ c: 0 });
    expect(maxActiveModels).toBe(4);
    expect(readAt.activeModels).toBe(bench.clock.now());
  });

  it("are only data, whatever they name", async () => {
    const bench = createBench();
    await bench.poll(series(now, "__proto__,constructor"));
    const { activeModels = {} } = bench.endpoint.metrics;
    expect(Object.keys(activeModels)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(activeModels)).toBeNull();
    expect(bench.state?.active).toEqual(["__proto__", "constructor"]);
  });

  it("beyond 4,096 adapters or 512 characters are cut, and that is an error", async () => {
    const bench = createBench();
    const names = Array.from({ length: 5000 }, (_, index) => `a${index}`);
    const failure = await bench.failure(series(now, [...names, "x".repeat(513)].join()));
    expect(failure).toBe(
      "EXTRACT_FAILED: 905 running adapters are over the limits; the rest applies",
    );
    expect(bench.state?.active).toHaveLength(4096);
  });
});

describe("section 9: max_lora", () => {
  it.each(["four", "-1", "1e3", "4 or 5"])(
    "%s is no number: an error, but the adapters still apply",
    async (text) => {
      const bench = createBench();
      const failure = await bench.failure(series(now, "a", { max_lora: text }));
      expect(failure).toBe(
        `EXTRACT_FAILED: max_lora ${JSON.stringify(text)} is not a number; the rest applies`,
      );
      expect(bench.state).toMatchObject({ active: ["a"], max: null });
      expect(bench.endpoint.metrics.maxActiveModels).toBeUndefined();
    },
  );

  it("turns unknown when it was known", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a"));
    expect(bench.endpoint.metrics.maxActiveModels).toBe(4);
    await bench.poll(series(now, "a", { max_lora: "" }));
    expect(bench.state?.max).toBeNull();
    expect(bench.endpoint.metrics.maxActiveModels).toBeUndefined();
  });
});

describe("section 9: the family is absent, or no series matches", () => {
  const without = "vllm:num_requests_running 1\n";

  it("leaves the state for two polls and empties it at the third, once", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a"));
    const state = bench.state;
    for (let turn = 0; turn < 2; turn++) {
      await bench.poll(without);
      expect(bench.state).toBe(state);
    }
    await bench.poll(without);
    const emptied = bench.endpoint.metrics;
    expect(bench.state).toEqual({ active: [], waiting: [], max: null, lastSeen: null });
    expect(emptied.activeModels).toEqual({});
    expect(emptied.waitingModels).toEqual({});
    expect(emptied.maxActiveModels).toBeUndefined();
    for (let turn = 0; turn < 3; turn++) await bench.poll(without);
    expect(bench.endpoint.metrics).toBe(emptied);
    expect(bench.logger.lines).toHaveLength(1);
    await bench.poll(series(now, "b"));
    expect(bench.state?.active).toEqual(["b"]);
  });

  it("counts polls in a row only", async () => {
    const bench = createBench();
    for (let turn = 0; turn < 3; turn++) {
      await bench.poll(series(now, "a"));
      await bench.poll(without);
      await bench.poll(without);
      expect(bench.state?.active).toEqual(["a"]);
    }
  });

  it("is forgotten with the endpoint", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a"));
    await bench.poll(without);
    await bench.poll(without);
    bench.extractor.release?.(bench.endpoint.id);
    await bench.poll(without);
    expect(bench.state?.active).toEqual(["a"]);
  });
});

describe("storing", () => {
  it("an unchanged state is not stored again; only its time costs a new one", async () => {
    const bench = createBench();
    await bench.poll(series(now, "a"));
    const first = bench.state;
    await bench.poll(series(now, "a"));
    expect(bench.state).toBe(first);
    await bench.poll(series(now + 1, "a"));
    expect(bench.state).not.toBe(first);
    expect(bench.state?.active).toBe(first?.active);
    expect(bench.endpoint.metrics.readAt.activeModels).toBe(bench.clock.now());
  });
});
