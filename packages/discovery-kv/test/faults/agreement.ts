import type { FaultWorld } from "./model.ts";
import type { Reader } from "./reader.ts";

/** Waits until the store, all lists and all watches hold exactly these records, in wire form. */
export async function agreement(
  world: Pick<FaultWorld, "patience" | "contents">,
  readers: readonly Reader[],
  expected: readonly string[],
): Promise<void> {
  const deadline = performance.now() + world.patience;
  for (;;) {
    const views: [string, string[]][] = [["the store", (await world.contents()).sort()]];
    for (const reader of readers) {
      if (reader.failure !== undefined) throw reader.failure;
      views.push(["a list", await reader.list()], ["a watch", reader.view()]);
    }
    const wrong = views.filter(([, view]) => view.join() !== expected.join());
    if (wrong.length === 0) return;
    if (performance.now() > deadline) throw disagreement(expected, wrong);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function disagreement(expected: readonly string[], wrong: [string, string[]][]): Error {
  const differences = wrong.map(([name, view]) => {
    const lost = expected.filter((wire) => !view.includes(wire));
    const stale = view.filter((wire) => !expected.includes(wire));
    return `${name} lacks [${lost.join(", ")}] and has [${stale.join(", ")}] too many`;
  });
  return new Error(differences.join("\n"));
}
