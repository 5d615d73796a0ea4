import { gunzipSync } from "node:zlib";
import { createModelServer } from "@muster/sim";
import { describe, expect, it } from "vitest";
import { rawGet } from "./support.ts";

describe("the metrics page over HTTP", () => {
  it("is compressed only where the server may and the scraper asks", async () => {
    await using plain = createModelServer();
    await plain.start();
    const asked = { "accept-encoding": "gzip, deflate" };
    const text = (await rawGet(`${plain.url}/metrics`, asked)).body.toString();
    expect(text).toBe(plain.page());
    await using zipping = createModelServer({ gzip: true });
    await zipping.start();
    const zipped = await rawGet(`${zipping.url}/metrics`, asked);
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(zipped.body).toString()).toBe(zipping.page());
    const unzipped = await rawGet(`${zipping.url}/metrics`);
    expect(unzipped.headers["content-encoding"]).toBeUndefined();
  });

  it("is found with a query, too", async () => {
    await using server = createModelServer();
    await server.start();
    expect((await rawGet(`${server.url}/metrics?name=x`)).body.toString()).toBe(server.page());
  });
});
