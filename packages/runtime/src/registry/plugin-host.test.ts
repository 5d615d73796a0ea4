import { attributeKey, definePlugin, type Plugin, type PluginContext } from "@muster/core";
import {
  createFakeClock,
  createFakeEndpoint,
  createRecordingLogger,
  createRecordingMeter,
} from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { anything } from "../../test/support/plugins.ts";
import { createPluginHost } from "./plugin-host.ts";

const power = attributeKey<number>("power");
const extra = attributeKey<number>("extra");

interface Probe extends Plugin {
  readonly context: PluginContext;
}

const probe = definePlugin({
  kind: "generic",
  type: "probe",
  configSchema: anything,
  produces: [power as never],
  create: (_, context): Probe => ({
    ...{ typedName: context.typedName, context },
    produces: [extra as never],
  }),
});

const contextOf = (plugin: Plugin): PluginContext => (plugin as Probe).context;

describe("createPluginHost", () => {
  it("gives logger, meter and clock; each log line says whose it is", () => {
    const [logger, metrics, clock] = [
      ...[createRecordingLogger(), createRecordingMeter(), createFakeClock()],
    ] as const;
    const host = createPluginHost({ logger, metrics, clock });
    const context = contextOf(host.create({ definition: probe, name: "p1" }));
    context.logger.warn({ a: 1 }, "hm");
    contextOf(host.create({ definition: probe })).logger.debug({}, "oh");
    expect(logger.lines).toEqual([
      { level: "warn", fields: { plugin: "probe/p1", a: 1 }, message: "hm" },
      { level: "debug", fields: { plugin: "probe/probe" }, message: "oh" },
    ]);
    context.metrics.counter({ name: "n", help: "h" }).add(2);
    expect(metrics.value("n")).toBe(2);
    expect(context.clock).toBe(clock);
    expect(context.name).toBe("p1");
  });

  it("shows no endpoints until they are bound, then the runtime's", () => {
    const host = createPluginHost();
    const { endpoints } = contextOf(host.create({ definition: probe }));
    expect([
      endpoints.get("default/server-1"),
      endpoints.list(),
      endpoints.byPod("a", "b"),
    ]).toEqual([undefined, [], []]);
    expect(endpoints.writer("default/server-1")).toBeUndefined();
    const endpoint = createFakeEndpoint();
    const asked: (ReadonlySet<string> | undefined)[] = [];
    host.bind({
      get: (id) => (id === endpoint.id ? endpoint : undefined),
      list: () => [endpoint],
      byPod: () => [endpoint],
      writer: (_, attributes) => {
        asked.push(attributes);
        return endpoint;
      },
    });
    expect(endpoints.get(endpoint.id)).toBe(endpoint);
    expect(endpoints.list()).toEqual([endpoint]);
    expect(endpoints.byPod("a", "b")).toEqual([endpoint]);
    expect(endpoints.writer(endpoint.id)).toBe(endpoint);
    expect([...(asked[0] ?? [])].sort()).toEqual(["extra", "power"]);
  });

  it("aborts the signal of every plugin when it is closed", () => {
    const host = createPluginHost();
    const { signal } = contextOf(host.create({ definition: probe }));
    expect(signal.aborted).toBe(false);
    host.close();
    host.close();
    expect(signal.aborted).toBe(true);
    expect(contextOf(host.create({ definition: probe })).signal.aborted).toBe(true);
  });

  it("gives each plugin a signal of its own, since many listeners on one are warned of", () => {
    const host = createPluginHost();
    const signals = [1, 2].map(() => contextOf(host.create({ definition: probe })).signal);
    expect(new Set(signals).size).toBe(2);
  });
});
