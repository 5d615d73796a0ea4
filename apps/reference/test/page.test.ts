import { existsSync } from "node:fs";
import process from "node:process";
import { MusterError, silentLogger } from "@muster/core";
import { type Browser, chromium, type Page } from "playwright-core";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../src/http/api.ts";
import { type Listening, listen } from "../src/http/listen.ts";
import { type HandFleet, startHandFleet, untilFresh } from "./fleet.ts";
import { fixture, servePage, type TestServer } from "./page-server.ts";

const executablePath = "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath) || process.env.CI !== undefined;
if (!hasBrowser)
  process.stderr.write("skipped: the page in a browser; `apt-get install chromium` to run it\n");

describe.skipIf(!hasBrowser)("the page in a real browser", { timeout: 60_000 }, () => {
  let browser: Browser;
  let model: TestServer;
  let hand: HandFleet;
  let server: Listening;

  beforeAll(async () => {
    const args = [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
    ];
    browser = await chromium.launch({ executablePath, args });
    model = await servePage(fixture("vllm-0.11.0-v1-lora.prom"));
    hand = await startHandFleet();
    hand.add("<svg><b>bold", model.port);
    hand.add("b", model.port);
    await untilFresh(hand.fleet, 2);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await hand?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });

  const open = async (token?: string, width = 1280): Promise<Page> => {
    const draining = new AbortController();
    const options = { fleet: hand.fleet, registry: new Registry(), logger: silentLogger };
    const api = createApi({ ...options, guard: { token }, signal: draining.signal });
    server = await listen(api, { host: "127.0.0.1", port: 0 });
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    page.once("close", () => draining.abort());
    await page.goto(server.url);
    return page;
  };
  const close = async (page: Page): Promise<void> => {
    await page.close();
    await server.close(0);
  };

  it("shows every endpoint, follows changes, and takes names as text", async () => {
    const page = await open();
    await page.getByText("2 fresh of 2 endpoints").waitFor();
    expect(await page.locator("#rows tr").count()).toBe(2);
    expect(await page.locator("#rows svg").count()).toBe(0);
    expect(await page.locator("#rows").textContent()).toContain("<svg><b>bold");
    hand.add("c", model.port);
    await page.getByText("3 fresh of 3 endpoints").waitFor();
    hand.remove("c");
    await page.getByText("2 fresh of 2 endpoints").waitFor();
    await close(page);
  });

  it("shows what servers registered, and why a discovery is blind", async () => {
    const long = "an-organisation-with-a-long-name/A-Model-With-A-Long-Name-235B-A22B-Instruct";
    const adapter = { name: "<b>sql", aliases: [], sourcePath: null, suffix: "sql" };
    hand.add(
      "backend-generate-694d8a1b2c3d4e5f",
      model.port,
      {},
      {
        models: [{ name: long, aliases: [], sourcePath: null }],
        adapters: [adapter],
      },
    );
    for (const width of [390, 1280]) {
      const page = await open(undefined, width);
      await page.getByText(long).waitFor();
      hand.lose(new MusterError("STORE_UNAVAILABLE", `etcd at <b>${"h".repeat(80)}:2379`));
      await page.getByText("is degraded: etcd at <b>").waitFor();
      await page.getByText("fresh, degraded").first().waitFor();
      expect(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      ).toBeLessThanOrEqual(0);
      hand.find();
      await page.locator("#problems").waitFor({ state: "hidden" });
      await close(page);
    }
    hand.remove("backend-generate-694d8a1b2c3d4e5f");
  });

  it.each([390, 1280])("fits a window %d pixels wide", async (width) => {
    const page = await open(undefined, width);
    await page.getByText("2 fresh of 2 endpoints").waitFor();
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow).toBeLessThanOrEqual(0);
    await close(page);
  });

  it("asks for the token, and opens with it", async () => {
    const page = await open("secret");
    await page.getByText("a token is needed").waitFor();
    await page.getByLabel("Token").fill("secret");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("2 fresh of 2 endpoints").waitFor();
    await close(page);
  });
});
