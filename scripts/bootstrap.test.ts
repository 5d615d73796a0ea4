import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const script = new URL("./bootstrap.mjs", import.meta.url).pathname;

function bootstrap(args: string[], version?: string) {
  const pretend =
    version &&
    `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
  const flags = pretend ? ["--import", pretend] : [];
  return spawnSync(process.execPath, [...flags, script, ...args], { encoding: "utf8" });
}

it.each(["18.20.4", "20.18.3"])("says which Node is needed on Node %s", (version) => {
  const { status, stderr } = bootstrap(["test"], version);
  expect(stderr).toBe(
    `muster: Node 20.19 or newer is needed, this is ${version}. ` +
      "Install a current Node from https://nodejs.org/ and run the command again.\n",
  );
  expect(status).toBe(1);
});

it("names the commands when asked for an unknown one", () => {
  const { status, stderr } = bootstrap(["sing"]);
  expect(stderr).toBe(
    'muster: unknown command "sing"; there are start, test, build, bench, check, generate, format, ci\n',
  );
  expect(status).toBe(2);
});
