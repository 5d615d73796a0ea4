import { createInterface } from "node:readline";
import { createFileStore } from "@muster/discovery-kv/file";

// a process with a file store of its own: arguments are the root and the TTL, each line of the input
// is a command; the answer is a line of JSON
const [root = "", ttl = "1s"] = process.argv.slice(2);
const store = createFileStore({ root, ttl });
const bucket = store.bucket("v1/instances");

const commands: Record<string, (...words: string[]) => Promise<unknown>> = {
  create: (key = "", value = "") => bucket.create(key, value),
  entries: async () => [...(await bucket.entries())],
  close: () => store.close(),
  // creates all of many keys as fast as it can; answers those that it won
  async race(count = "0", value = "") {
    const keys = Array.from({ length: Number(count) }, (_, index) => `race/${index}`);
    const won = await Promise.all(keys.map((key) => bucket.create(key, value)));
    return keys.filter((_, index) => won[index]);
  },
  // adds one to a number until that was done so many times
  async count(key = "", times = "0") {
    for (let done = 0; done < Number(times); ) {
      const expected = (await bucket.get(key)) ?? "";
      const value = String(Number(expected) + 1);
      if (await bucket.compareAndReplace(key, { expected, value })) done++;
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [command = "", ...words] = line.split(" ");
  const answer = await commands[command]?.(...words);
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
}
