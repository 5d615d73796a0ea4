// Runs every *.test.mjs beside it, on any runtime. Each exports an object of test functions by name.
// It does not exit by force: a package that leaves a handle open keeps the process alive, and fails.
import { readdirSync } from "node:fs";

const folder = new URL("./", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
let passed = 0;
let failed = 0;

for (const file of files.sort()) {
  const { default: tests } = await import(new URL(file, folder).href);
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      passed += 1;
      console.log(`ok ${file}: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${file}: ${name}\n${error?.stack ?? error}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
