import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endpointAt, openSource, pollOnce } from "./support/poll.ts";
import { serve } from "./support/server.ts";

const folder = new URL("../../../fixtures/metrics/quirks/", import.meta.url);
const quirks = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8")) as {
  file: string;
  status: number;
  headers: Record<string, string>;
  expect: { error?: string };
}[];

/** The code for what `expected.json` calls an error; the engine is the extractor's to find. */
const codes: Record<string, string | undefined> = {
  "too large": "SCRAPE_TOO_LARGE",
  "redirect refused": "SCRAPE_REDIRECT",
  authentication: "SCRAPE_AUTH",
  status: "SCRAPE_STATUS",
  "content type": "SCRAPE_CONTENT_TYPE",
};

describe("quirks, served as they would be", () => {
  it.each(quirks)("$file", async ({ file, status, headers, expect: { error = "" } }) => {
    const body = readFileSync(new URL(file, folder));
    const { port } = await serve((_, response) => {
      response.writeHead(status, headers).end(body);
    });
    const polled = pollOnce(openSource(), endpointAt(port));
    const code = codes[error];
    if (code === undefined) expect((await polled).format).toMatch(/^(text|openmetrics)$/);
    else await expect(polled).rejects.toMatchObject({ code });
  });
});
