#!/usr/bin/env node
// What `npm start`, `npm test` and the other root scripts run: needs Node and npm, nothing else.
// The version is checked before anything that an older Node cannot read is loaded.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [needMajor = 0, needMinor = 0] = engines.node
  .replace(/[^\d.]/g, "")
  .split(".")
  .map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < needMajor || (major === needMajor && minor < needMinor)) {
  console.error(
    `muster: Node ${needMajor}.${needMinor} or newer is needed, this is ${process.versions.node}. ` +
      "Install a current Node from https://nodejs.org/ and run the command again.",
  );
  process.exitCode = 1;
} else {
  import("./bootstrap/main.mjs").then(({ main }) => main(process.argv.slice(2)));
}
