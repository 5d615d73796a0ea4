import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { muster, musterEnds, reader } from "./muster-process.ts";
import { describeCli, server } from "./plane-cli.ts";
import { runCli } from "./run-cli.ts";
import { testFolder } from "./running-app.ts";

describe("muster discovery on a file store", { timeout: 120_000 }, () => {
  describeCli(async () => {
    const folder = await testFolder();
    const url = `${pathToFileURL(folder.path).href}?ttl=2s`;
    return { url, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  });

  it.each<[string, string | undefined, RegExp]>([
    ["that is missing", undefined, /--card: cannot read .*ENOENT/],
    ["that is a folder", "", /--card: .* is not a regular file/],
    ["without end", " ".repeat(1024 * 1024 + 1), /--card: .* more than 1048576 bytes/],
    ["that is no JSON", "{", /--card: not JSON/],
    ["without a name", "{}", /display_name.*PLANE_CARD/],
  ])("refuses a card %s as a wrong argument, and writes nothing", async (_, text, message) => {
    await using folder = await testFolder();
    const [root, card] = [join(folder.path, "store"), join(folder.path, "card.json")];
    if (text === "") await mkdir(card);
    else if (text !== undefined) await writeFile(card, text);
    const place = ["--store", pathToFileURL(root).href, "--namespace", "n", "--tcp", "h:1"];
    const { code, err } = await runCli(["discovery", "register", ...place, "--card", card]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(root)).toBe(false);
  });

  it("tells unreadable records, and lets no text of them drive the terminal", async () => {
    await using folder = await testFolder();
    const instances = join(folder.path, "v1/instances");
    await mkdir(instances, { recursive: true });
    const hostile = "\u001b[2J\u202e";
    const record = {
      ...{ type: "Endpoint", namespace: "n", component: "c", endpoint: "e", instance_id: 1 },
      transport: { http: `http://${hostile}` },
    };
    await writeFile(join(instances, "n%2Fc%2Fe%2F1"), JSON.stringify(record, null, 2));
    await writeFile(join(instances, "n%2Fc%2Fe%2F2"), `{"type":"${hostile}`);
    await writeFile(join(instances, "n%2Fc%2Fe%2F3"), JSON.stringify(record));
    const url = pathToFileURL(folder.path).href;
    const table = await musterEnds("discovery", "list", "--store", url);
    expect(table.err).toMatch(
      /2 records cannot be read:\n {2}v1\/instances\/n\/c\/e\/2: .*\n.*e\/3: .*\n/,
    );
    const json = await musterEnds("discovery", "list", "--store", url, "--json");
    expect(json.out.split("\n")).toHaveLength(2);
    expect(JSON.parse(json.out)).toEqual(record);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    const wild = /[\u0000-\u0009\u000b-\u001f\u202e]/;
    for (const { out, err } of [table, json]) expect(out + err).not.toMatch(wild);
  });

  it("ends when it is told to although nobody reads its output", async () => {
    await using folder = await testFolder();
    const instances = join(folder.path, "v1", "instances");
    await mkdir(instances, { recursive: true });
    const tcp = `h:1/${"x".repeat(900_000)}`; // more than a pipe holds
    await writeFile(
      join(instances, "n%2Fc%2Fe%2F1"),
      `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":1,"transport":{"tcp":"${tcp}"}}`,
    );
    const watch = muster("discovery", "watch", "--store", pathToFileURL(folder.path).href);
    await reader(watch, "stderr")(/event-sources: 0/);
    watch.kill("SIGINT");
    expect(await once(watch, "exit")).toEqual([0, null]);
  });

  it("ends quietly when nobody reads on", async () => {
    await using folder = await testFolder();
    const url = `${pathToFileURL(folder.path).href}?ttl=10s`;
    const watch = muster("discovery", "watch", "--store", url, "--kind", "endpoints");
    await reader(watch, "stderr")(/endpoints: 0, all that is there/);
    const ended = once(watch, "exit");
    watch.stdout?.destroy();
    const held = muster("discovery", "register", "--store", url, ...server);
    await reader(held, "stdout")(/registered model/);
    expect(await ended).toEqual([0, null]);
  });
});
