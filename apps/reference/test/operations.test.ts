import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runApp, testFolder } from "./running-app.ts";

it("docs/operations.md lists exactly the metrics that the app has", async () => {
  await using folder = await testFolder();
  const endpoints = join(folder.path, "endpoints.yaml");
  await writeFile(endpoints, "endpoints: []");
  await using app = await runApp(
    folder.path,
    `apiVersion: muster/v1
kind: MusterConfig
plugins: [{ type: file-discovery, parameters: { path: ${endpoints} } }]
discovery: { pluginRef: file-discovery }
`,
  );
  const page = await (await fetch(`${app.url}/metrics`)).text();
  const shown = [...page.matchAll(/^# TYPE (muster_\w+) /gm)].map((match) => match[1]);
  const docs = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const listed = [...docs.matchAll(/^\| `(muster_\w+)/gm)].map((match) => match[1]);
  expect(listed.sort()).toEqual(shown.sort());
});
