import { describe, expect, it, vi } from "vitest";
import { endpointJson } from "../src/http/endpoint-json.ts";
import { EndpointTexts } from "../src/http/endpoint-text.ts";
import { startHandFleet, untilFresh } from "./fleet.ts";
import { fixture, servePage } from "./page-server.ts";

describe("EndpointTexts", () => {
  it("makes a text once for all who ask, until the endpoint changes or 250 ms are over", async () => {
    await using model = await servePage(fixture("vllm-0.11.0-v1.prom"));
    await using hand = await startHandFleet();
    hand.add("a", model.port);
    await untilFresh(hand.fleet, 1);
    const endpoint = hand.fleet.endpoints.get("default/a");
    if (endpoint === undefined) throw new Error("there is no endpoint");
    let now = 0;
    const texts = new EndpointTexts(() => now);
    const first = texts.textOf(endpoint);
    expect(JSON.parse(first)).toMatchObject({ id: "default/a", freshness: { state: "fresh" } });
    // polls go on, so that another text has other times
    await vi.waitUntil(() => JSON.stringify(endpointJson(endpoint)) !== first, 5000);
    now = 249;
    expect(texts.textOf(endpoint)).toBe(first);
    now = 250;
    const second = texts.textOf(endpoint);
    expect(second).not.toBe(first);
    hand.add("a", model.port, { zone: "b" });
    expect(JSON.parse(texts.textOf(endpoint))).toMatchObject({
      metadata: { labels: { zone: "b" } },
    });
    expect(texts.listOf([endpoint, endpoint])).toBe(
      `[${texts.textOf(endpoint)},${texts.textOf(endpoint)}]`,
    );
  });
});
