import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createPromMeter } from "./prom-meter.ts";

describe("createPromMeter", () => {
  it("shows counters, gauges and histograms on the registry's page", async () => {
    const registry = new Registry();
    const meter = createPromMeter(registry);
    meter.counter({ name: "c_total", help: "C.", labels: ["who"] }).add(2, { who: "a" });
    meter.gauge({ name: "g", help: "G." }).set(3);
    meter.histogram({ name: "h", help: "H.", buckets: [1, 2] }).observe(1.5);
    const page = await registry.metrics();
    expect(page).toContain('c_total{who="a"} 2');
    expect(page).toContain("\ng 3\n");
    expect(page).toContain('h_bucket{le="2"} 1');
  });

  it("gives the same instrument for the same name, and removes series", async () => {
    const registry = new Registry();
    const meter = createPromMeter(registry);
    const gauge = meter.gauge({ name: "g", help: "G.", labels: ["id"] });
    expect(meter.gauge({ name: "g", help: "G.", labels: ["id"] })).toBe(gauge);
    gauge.set(1, { id: "x" });
    gauge.remove({ id: "x" });
    expect(await registry.metrics()).not.toContain('id="x"');
  });
});
