import { describe, expect, it } from "vitest";
import { createBench, fixture } from "./support.ts";

interface Quirk {
  readonly file: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly note: string;
}

const quirks = JSON.parse(fixture("quirks/expected.json").toString()) as readonly Quirk[];

/** Entries about the transport, LoRA or GPUs, which other packages test. */
const elsewhere = /^(gzip|status-|redirect|html-|lora-|dcgm-)/;

/** Where each expectation is found after one poll. */
const fieldOf: Readonly<Record<string, string>> = {
  running: "runningRequestsSize",
  waiting: "waitingQueueSize",
  kv: "kvCacheUsagePercent",
  blockSize: "cacheBlockSize",
  numBlocks: "cacheNumBlocks",
};

describe("quirks", () => {
  const config = {
    engineConfigs: [
      {
        name: "vllm",
        queuedRequestsSpec: "vllm:num_requests_waiting",
        customMetrics: [{ attributeKey: "promptTokens", metricSpec: "vllm:prompt_tokens_total" }],
      },
    ],
  };

  it.each(quirks.filter(({ file }) => !elsewhere.test(file)))(
    "$file: $note",
    async ({ file, headers, expect: wanted }) => {
      const bench = createBench();
      const contentType = headers["content-type"];
      const { error, kvMax, modelLabel, promptTokens, ...fields } = wanted;
      if (error !== undefined) {
        expect(error).toBe("no engine family");
        expect(await bench.failure(fixture(`quirks/${file}`))).toBe("EXTRACT_NO_ENGINE");
        expect(bench.endpoint.metrics.updateTime).toBeUndefined();
        return;
      }
      await bench.poll(fixture(`quirks/${file}`), contentType);
      for (const [name, value] of Object.entries(fields)) {
        expect(fieldOf[name]).toBeDefined();
        const read = Reflect.get(bench.endpoint.metrics, fieldOf[name] ?? "");
        expect(read).toEqual(value === null ? undefined : expect.closeTo(value as number, 12));
      }
      if (kvMax !== undefined) expect(bench.state?.kvMax).toBe(kvMax);
      if (modelLabel !== undefined) expect(bench.state?.modelName).toBe(modelLabel);
      if (promptTokens === undefined) return;
      const custom = createBench(config);
      await custom.poll(fixture(`quirks/${file}`), contentType);
      expect(custom.endpoint.attributes.get("promptTokens")).toBe(promptTokens);
    },
  );

  it("covers every entry that is this package's", () => {
    const here = quirks.filter(({ file }) => !elsewhere.test(file));
    expect(here.length).toBeGreaterThan(20);
    for (const { expect: wanted } of here)
      expect(Object.keys(wanted).some((key) => key in fieldOf || key === "error")).toBe(true);
  });
});
