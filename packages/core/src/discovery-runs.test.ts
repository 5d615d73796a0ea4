import { expect, it } from "vitest";
import { createDiscoveryRuns } from "./discovery-runs.ts";
import { typedName } from "./names.ts";

const plugin = typedName("file-discovery", "a");

it("is ready when the run says so, and for the next run anew", async () => {
  const runs = createDiscoveryRuns(plugin);
  const order: string[] = [];
  for (const name of ["first", "next"]) {
    const becoming = runs.ready().then(() => order.push(`${name} ready`));
    await runs.run(async (onReady) => {
      await new Promise(setImmediate);
      order.push(`${name} passes`);
      onReady();
      await becoming;
    });
  }
  expect(order).toEqual(["first passes", "first ready", "next passes", "next ready"]);
});

it("refuses a run while another is under way, and takes one after it, failed or not", async () => {
  const runs = createDiscoveryRuns(plugin);
  let fail: (error: Error) => void = () => undefined;
  const first = runs.run(() => new Promise((_resolve, reject) => (fail = reject)));
  await expect(runs.run(async () => undefined)).rejects.toMatchObject({
    code: "DISCOVERY_FAILED",
    plugin,
  });
  fail(new Error("the source is gone"));
  await expect(first).rejects.toThrow("the source is gone");
  await runs.run(async () => undefined);
});
