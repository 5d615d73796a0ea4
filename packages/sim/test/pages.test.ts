import { createModelServer, type ModelServerOptions } from "@muster/sim";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { pageShape } from "./page-shape.ts";
import { fixture, post, sample, until } from "./support.ts";

const cases: readonly (ModelServerOptions & { readonly file: string })[] = [
  { engine: "vllm", file: "vllm-main-2026-v1.prom" },
  { engine: "vllm", engineVersion: "0.11.0", file: "vllm-0.11.0-v1.prom" },
  { engine: "vllm", engineVersion: "0.11.0", ranks: 2, file: "vllm-0.11.0-v1-dp2.prom" },
  { engine: "sglang", ranks: 2, file: "sglang-0.5.12-dp2.prom" },
  { engine: "sglang", engineVersion: "0.5.9", file: "sglang-0.5.9-cacheconfiginfo.prom" },
  { engine: "trtllm-serve", engineVersion: "1.0", file: "trtllm-serve-1.0-unprefixed.prom" },
];

describe("pages have the families, types, labels and buckets of the real ones", () => {
  for (const { file, ...options } of cases)
    it(file, () => {
      const page = pageShape(createModelServer(options).page());
      const real = pageShape(fixture(file));
      expect(page.families).toEqual(real.families);
      expect(page.series).toEqual(real.series);
    });

  it("vllm-0.11.0-v1-lora.prom, once an adapter was used", async () => {
    const clock = createFakeClock();
    await using server = createModelServer({ engineVersion: "0.11.0", loras: ["sql-lora"], clock });
    await server.start();
    const answer = post(server, "/v1/completions", {
      model: "sql-lora",
      prompt: "x",
      max_tokens: 1,
    });
    await until(() => server.snapshot().running === 1, "the request runs");
    await clock.advance(40);
    expect((await answer).status).toBe(200);
    const real = pageShape(fixture("vllm-0.11.0-v1-lora.prom"));
    expect(pageShape(server.page()).families).toEqual(real.families);
  });
});

describe("pages are of the real size and form", () => {
  it("vLLM's and SGLang's have 40 to 60 kB", () => {
    for (const engine of ["vllm", "sglang"] as const) {
      const { length } = createModelServer({ engine }).page();
      expect(length).toBeGreaterThan(40_000);
      expect(length).toBeLessThan(60_000);
    }
  });

  it("every family has HELP and TYPE before its samples, and no family comes twice", () => {
    for (const engine of ["vllm", "sglang", "trtllm-serve"] as const) {
      const lines = createModelServer({ engine, ranks: 2 }).page().trimEnd().split("\n");
      const seen = new Set<string>();
      let family = "";
      for (const [index, line] of lines.entries())
        if (line.startsWith("# HELP ")) {
          family = line.split(" ")[2] ?? "";
          expect(seen.has(family), family).toBe(false);
          seen.add(family);
          expect(lines[index + 1]).toMatch(
            new RegExp(`^# TYPE ${family} (gauge|counter|histogram|summary)$`),
          );
        } else if (!line.startsWith("# TYPE ")) expect(line.startsWith(family), line).toBe(true);
      expect(seen.size).toBeGreaterThan(40);
    }
  });

  it("trtllm-serve's main page tells load and cache geometry", () => {
    const page = createModelServer({
      engine: "trtllm-serve",
      numBlocks: 512,
      blockSize: 32,
    }).page();
    const value = (name: string): number | undefined =>
      sample(page, page.match(new RegExp(`^${name}\\{[^}]*\\}`, "m"))?.[0] ?? name);
    expect(value("trtllm_num_requests_running")).toBe(0);
    expect(value("trtllm_num_requests_waiting")).toBe(0);
    expect(value("trtllm_kv_cache_utilization")).toBe(0);
    expect(value("trtllm_kv_cache_max_blocks")).toBe(512);
    expect(value("trtllm_kv_cache_tokens_per_block")).toBe(32);
  });

  it("label values are escaped", () => {
    const page = createModelServer({ model: 'a "quoted" \\ model' }).page();
    expect(page).toContain('model_name="a \\"quoted\\" \\\\ model"');
  });
});
