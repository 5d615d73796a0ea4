// Runs every *.test.mjs beside it, on any runtime: each exports a function that takes `describe` and `it`.
// It does not exit by force: a package that leaves a handle open keeps the process alive, and fails.
import { readdirSync } from "node:fs";

const limitMs = 30_000;
const tests = [];
const names = [];
const api = {
  describe(name, body) {
    names.push(name);
    body();
    names.pop();
  },
  it(name, body) {
    tests.push({ name: [...names, name].join(" > "), body });
  },
};

const folder = new URL("./", import.meta.url);
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".test.mjs")) continue;
  const { default: define } = await import(new URL(file, folder).href);
  api.describe(file.replace(".test.mjs", ""), () => define(api));
}

let failed = 0;
for (const { name, body } of tests) {
  const started = performance.now();
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([body(), limit]);
    console.log(`ok     ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error?.stack ?? error}`);
  } finally {
    clearTimeout(timer);
  }
}
console.log(`${tests.length - failed} passed, ${failed} failed`);
