import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { content, follow } from "./following.ts";
import { tempDir } from "./temp-dir.ts";

const one = { a: "10.0.0.1" };
const two = { a: "10.0.0.1", b: "10.0.0.2" };
const other = { c: "10.0.0.3" };

const replace = (path: string, text: string): void => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};

// the polls that stand in for lost events would hide that events are not followed
const eventsOnly = { pollInterval: "1h" };

describe("edits that events tell of", () => {
  const prepare = (): string => {
    const path = join(tempDir(), "cfg", "endpoints.yaml");
    mkdirSync(join(path, ".."));
    writeFileSync(path, content(one));
    return path;
  };

  it("follows writing in place, time and again", async () => {
    const path = prepare();
    const { until } = await follow(path, eventsOnly);
    for (const endpoints of [two, one, other, {}, two]) {
      writeFileSync(path, content(endpoints));
      await until(endpoints);
    }
  });

  it("follows atomic renames, time and again [llm-d-router#1135]", async () => {
    const path = prepare();
    const { until } = await follow(path, eventsOnly);
    for (const endpoints of [two, one, other, {}, two]) {
      replace(path, content(endpoints));
      await until(endpoints);
    }
  });

  it("follows an editor's safe write: backup, new file, backup removed", async () => {
    const path = prepare();
    const { until } = await follow(path, eventsOnly);
    for (const endpoints of [two, other]) {
      renameSync(path, `${path}~`);
      writeFileSync(path, content(endpoints));
      unlinkSync(`${path}~`);
      await until(endpoints);
    }
  });

  it("follows remove-and-create", async () => {
    const path = prepare();
    const { until, untilLogged } = await follow(path, eventsOnly);
    for (const endpoints of [two, other]) {
      unlinkSync(path);
      writeFileSync(path, content(endpoints));
      await until(endpoints);
    }
    unlinkSync(path);
    await untilLogged("ENOENT");
    writeFileSync(path, content(two));
    await until(two);
  });

  it("follows a directory that is removed and created again", async () => {
    const path = prepare();
    const { until, untilLogged, found } = await follow(path, eventsOnly);
    rmSync(join(path, ".."), { recursive: true });
    await untilLogged("ENOENT");
    expect(found).toEqual(one);
    mkdirSync(join(path, ".."));
    writeFileSync(path, content(two));
    await until(two);
    writeFileSync(path, content(other));
    await until(other);
  });

  it("follows a directory that is put in the place of another", async () => {
    const path = prepare();
    const directory = join(path, "..");
    const { until } = await follow(path, eventsOnly);
    for (const endpoints of [two, other]) {
      mkdirSync(`${directory}.new`);
      writeFileSync(join(`${directory}.new`, "endpoints.yaml"), content(endpoints));
      renameSync(directory, `${directory}.old`);
      renameSync(`${directory}.new`, directory);
      rmSync(`${directory}.old`, { recursive: true });
      await until(endpoints);
    }
  });

  it("tells nothing of what is written beside the file or stays equal", async () => {
    const path = prepare();
    const { until, calls } = await follow(path, eventsOnly);
    writeFileSync(`${path}.bak`, "x");
    writeFileSync(path, readFileSync(path));
    writeFileSync(path, `# a comment\n${content(one)}`);
    writeFileSync(path, content(two));
    await until(two);
    expect(calls).toEqual(["+a", "+b"]);
  });

  it("reports again only the endpoints that changed", async () => {
    const path = prepare();
    writeFileSync(path, content({ a: "10.0.0.1", b: "10.0.0.2", c: "10.0.0.3" }));
    const { until, calls } = await follow(path, eventsOnly);
    calls.length = 0;
    const changed = { a: "10.0.0.1", b: "10.0.0.9", d: "10.0.0.4" };
    writeFileSync(path, content(changed));
    await until(changed);
    expect(calls).toEqual(["-c", "+b", "+d"]);
  });
});

describe("symbolic links", () => {
  /** A mounted ConfigMap: `endpoints.yaml -> ..data/endpoints.yaml`, `..data -> ..1`. */
  const mount = (): { path: string; swap(endpoints: Record<string, string>): void } => {
    const root = tempDir();
    let version = 0;
    const swap = (endpoints: Record<string, string>): void => {
      version++;
      mkdirSync(join(root, `..${version}`));
      writeFileSync(join(root, `..${version}`, "endpoints.yaml"), content(endpoints));
      symlinkSync(`..${version}`, join(root, "..data_tmp"));
      renameSync(join(root, "..data_tmp"), join(root, "..data"));
      rmSync(join(root, `..${version - 1}`), { recursive: true, force: true });
    };
    swap(one);
    symlinkSync(join("..data", "endpoints.yaml"), join(root, "endpoints.yaml"));
    return { path: join(root, "endpoints.yaml"), swap };
  };

  it("follows every swap of a ConfigMap's ..data [kars#450]", async () => {
    const { path, swap } = mount();
    const { until } = await follow(path, eventsOnly);
    for (const endpoints of [two, one, other, two]) {
      swap(endpoints);
      await until(endpoints);
    }
  });

  it("follows writing where the links lead to", async () => {
    const { path, swap } = mount();
    const { until } = await follow(path, eventsOnly);
    swap(two);
    await until(two);
    writeFileSync(path, content(other));
    await until(other);
  });

  it("follows a link in place of a directory, and one across directories", async () => {
    const root = tempDir();
    for (const [name, endpoints] of Object.entries({ v1: one, v2: two })) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "endpoints.yaml"), content(endpoints));
    }
    symlinkSync("v1", join(root, "current"));
    mkdirSync(join(root, "etc"));
    symlinkSync(join(root, "current", "endpoints.yaml"), join(root, "etc", "link.yaml"));
    const { until } = await follow(join(root, "etc", "link.yaml"), eventsOnly);
    symlinkSync("v2", join(root, "next"));
    renameSync(join(root, "next"), join(root, "current"));
    await until(two);
    replace(join(root, "v2", "endpoints.yaml"), content(other));
    await until(other);
  });
});
