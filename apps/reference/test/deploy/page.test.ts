import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../run-cli.ts";
import { testFolder } from "../running-app.ts";
import { found } from "./deployed.ts";
import { podsPlugin } from "./objects.ts";
import { pageFiles } from "./page.ts";
import { containerOf } from "./pod-template.ts";
import { deployFolder, render, renderBase } from "./render.ts";

const files = await pageFiles();

/** What `muster check` says of a configuration, with the token that the Deployment hands over. */
async function check(config: string): ReturnType<typeof runCli> {
  await using folder = await testFolder();
  await writeFile(join(folder.path, "plugin.mjs"), podsPlugin);
  const file = join(folder.path, "muster.yaml");
  await writeFile(file, config);
  return await runCli(["check", "--config", file], undefined, { MUSTER_TOKEN: "secret" });
}

const configs = [...files].filter(([, text]) => text.includes("kind: MusterConfig\nplugins:"));

it.each(configs)("muster check takes %s of the page", async (_, config) => {
  expect(await check(config)).toMatchObject({ code: 0, err: "" });
});

it("shows a configuration for every way but the base's", () => {
  expect(configs.map(([name]) => name)).toEqual([
    "selector.yaml",
    "service.yaml",
    "watch-pods.yaml",
  ]);
});

it.each([[[]], [["selector"]], [["service"]]])(
  "muster check takes the base with %j",
  async (components) => {
    const { data } = found(await renderBase(...components), "ConfigMap") as { data?: unknown };
    const [config = ""] = Object.values(data as Record<string, string>);
    expect(await check(config)).toMatchObject({ code: 0, err: "" });
  },
);

it("shows a kustomization that renders to what it says", async () => {
  await using folder = await testFolder();
  for (const name of ["kustomization.yaml", "config.yaml"])
    await writeFile(join(folder.path, name), files.get(name) ?? "");
  await mkdir(join(folder.path, "muster"));
  await symlink(deployFolder, join(folder.path, "muster", "deploy"));
  const objects = await render(folder.path);
  expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["serving"]));
  expect(objects.length).toBe((await renderBase("pod-monitor")).length);
  expect(containerOf(objects).image).toBe("registry.example/muster:0.1.0");
  const { data } = found(objects, "ConfigMap") as { data?: unknown };
  const config = (data as Record<string, string>)["muster.yaml"] ?? "";
  expect(config).toContain("name: qwen");
  expect(await check(config)).toMatchObject({ code: 0 });
});
