import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { InspectReport } from "../src/inspect/inspect-page.ts";
import { fixture, serve } from "./page-server.ts";
import { runCli } from "./run-cli.ts";

interface Quirk {
  readonly file: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly note: string;
}

const quirks = (JSON.parse(new TextDecoder().decode(fixture("quirks/expected.json"))) as Quirk[])
  // GPU exporters are another source's
  .filter((quirk) => !quirk.file.startsWith("dcgm-"));

/** The code that each meaning of `expect.error` stands for. */
const codes: Readonly<Record<string, string>> = {
  "no engine family": "EXTRACT_NO_ENGINE",
  "content type": "SCRAPE_CONTENT_TYPE",
  "too large": "SCRAPE_TOO_LARGE",
  "redirect refused": "SCRAPE_REDIRECT",
  authentication: "SCRAPE_AUTH",
  status: "SCRAPE_STATUS",
};

/** What an expected name reads of a report. */
const readers: Readonly<Record<string, (report: InspectReport) => unknown>> = {
  running: ({ metrics }) => metrics.runningRequestsSize,
  waiting: ({ metrics }) => metrics.waitingQueueSize,
  kv: ({ metrics }) => metrics.kvCacheUsagePercent,
  kvMax: ({ attributes }) => (attributes.engine as { kvMax: unknown }).kvMax,
  modelLabel: ({ attributes }) => (attributes.engine as { modelName: unknown }).modelName,
  blockSize: ({ metrics }) => metrics.cacheBlockSize,
  numBlocks: ({ metrics }) => metrics.cacheNumBlocks,
  maxLora: ({ metrics }) => metrics.maxActiveModels,
  loraRunning: ({ metrics }) => Object.keys(metrics.activeModels ?? {}),
  loraWaiting: ({ metrics }) => Object.keys(metrics.waitingModels ?? {}),
};

function check(quirk: Quirk, report: InspectReport): void {
  // tokens are no field of the roll: the parser's own tests read them
  const { error, promptTokens: _tokens, ...values } = quirk.expect;
  for (const [name, value] of Object.entries(values)) {
    const actual = readers[name]?.(report);
    if (typeof value === "number") expect(actual, name).toBeCloseTo(value, 6);
    else expect(actual, name).toEqual(value);
  }
  expect(report.error?.code ?? null).toBe(error === undefined ? null : codes[String(error)]);
}

describe("muster inspect gives what quirks/expected.json says", () => {
  it.each(quirks)("of $file over HTTP: $note", async (quirk) => {
    await using server = await serve((_request, response) => {
      response.writeHead(quirk.status, quirk.headers);
      response.end(fixture(`quirks/${quirk.file}`));
    });
    const { code, out } = await runCli(["inspect", `${server.url}/metrics`, "--json"]);
    const report = JSON.parse(out) as InspectReport;
    check(quirk, report);
    expect(code).toBe(quirk.expect.error === undefined ? 0 : 1);
  });

  const files = quirks.filter((quirk) => quirk.status === 200);
  it.each(files)("of $file as a file: $note", async (quirk) => {
    const path = fileURLToPath(
      new URL(`../../../fixtures/metrics/quirks/${quirk.file}`, import.meta.url),
    );
    const type = quirk.headers["content-type"];
    const args = [
      "inspect",
      path,
      "--json",
      ...(type === undefined ? [] : ["--content-type", type]),
    ];
    const { out } = await runCli(args);
    check(quirk, JSON.parse(out) as InspectReport);
  });
});
