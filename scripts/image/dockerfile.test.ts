import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { execForm, ignores, lastOf, parseDockerfile, type Stage } from "./dockerfile.ts";
import { readStages } from "./follow.ts";

const stages = readStages();
const [build, image] = stages as [Stage, Stage];
const all = stages.flatMap(({ instructions }) => instructions);

it("reads stages, continued lines and comments, and nothing that it does not know", () => {
  const text = "# x\nFROM a:1 AS b\nRUN c \\\n  && d\n\n  # y\nFROM e:2\nUSER 1:1\n";
  expect(parseDockerfile(text)).toEqual([
    { from: "a:1", as: "b", instructions: [{ name: "RUN", text: "c && d" }] },
    { from: "e:2", as: undefined, instructions: [{ name: "USER", text: "1:1" }] },
  ]);
  expect(() => parseDockerfile("run x")).toThrow("no instruction: run x");
  expect(() => parseDockerfile("RUN x")).toThrow("before the first FROM");
});

it("leaves out what .dockerignore names, at the top or anywhere", () => {
  const ignored = ignores("# x\ndocs\n**/.env*\n");
  const paths = ["docs", "docs/a.md", "a/docs", ".env", "a/.env.local/b", "a/env", "docs.md"];
  expect(paths.filter(ignored)).toEqual(["docs", "docs/a.md", ".env", "a/.env.local/b"]);
  expect(() => ignores("!a")).toThrow("not understood: !a");
});

it("starts from images of one exact version", () => {
  for (const { from } of stages) expect(from).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/);
  expect(build.from).toBe(image.from);
});

it("runs as a number that the Deployment names too, without a shell", () => {
  expect(lastOf(image, "USER")).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  const uid = lastOf(image, "USER").split(":")[0];
  const deployment = readFileSync(join(root, "deploy/base/deployment.yaml"), "utf8");
  expect(deployment).toContain(`runAsUser: ${uid}\n`);
  expect(deployment).toContain(`args: [${execForm(lastOf(image, "CMD")).join(", ")}]`);
  expect(execForm(lastOf(image, "ENTRYPOINT"))).toEqual(["node", "/app/dist/cli.js"]);
  expect(image.instructions.filter(({ name }) => name === "RUN")).toEqual([]);
});

it("takes along what was built, and no secret", () => {
  expect(all.map(({ name }) => name)).not.toContain("ADD");
  expect(all.map(({ name }) => name)).not.toContain("ARG");
  for (const { text } of all.filter(({ name }) => name === "ENV"))
    expect(text).not.toMatch(/token|secret|password|key/i);
  const copies = image.instructions.filter(({ name }) => name === "COPY");
  expect(copies).toEqual([{ name: "COPY", text: "--from=build /runtime /app" }]);
  const ignored = ignores(readFileSync(join(root, ".dockerignore"), "utf8"));
  for (const path of [".git", "node_modules", "packages/core/node_modules", ".npmrc", ".env"])
    expect(ignored(path)).toBe(true);
  for (const path of ["package.json", "pnpm-lock.yaml", "apps/reference/page/index.html"])
    expect([ignored(path), existsSync(join(root, path))]).toEqual([false, true]);
});
