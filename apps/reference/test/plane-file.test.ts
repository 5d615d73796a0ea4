import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { muster, musterEnds, reader } from "./muster-process.ts";
import { describeCli, server } from "./plane-cli.ts";
import { testFolder } from "./running-app.ts";

describe("muster discovery on a file store", { timeout: 120_000 }, () => {
  describeCli(async () => {
    const folder = await testFolder();
    const url = `${pathToFileURL(folder.path).href}?ttl=2s`;
    return { url, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  });

  it("reads no card without end", async () => {
    await using folder = await testFolder();
    const large = join(folder.path, "card.json");
    await writeFile(large, " ".repeat(1024 * 1024 + 1));
    const store = ["--store", pathToFileURL(folder.path).href, "--namespace", "n"];
    const register = (card: string) =>
      musterEnds("discovery", "register", ...store, ...["--tcp", "h:1", "--card", card]);
    expect(await register(large)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/more than 1048576.*PLANE_CARD/),
    });
    expect(await register(folder.path)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not a regular file/),
    });
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
