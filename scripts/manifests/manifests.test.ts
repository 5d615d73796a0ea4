import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { npmPackages } from "../generate/outputs.ts";
import { type ExportTarget, type Manifest, packagesIn, readJson, root } from "../workspace.ts";

type Exports = Record<string, ExportTarget>;

/** What is published: the same exports without the condition that leads to the sources. */
function withoutSource(exports: Exports): Exports {
  const entries = Object.entries(exports).map(([path, target]) => {
    if (typeof target === "string") return [path, target];
    const { "@muster/source": _, ...published } = target;
    return [path, published];
  });
  return Object.fromEntries(entries) as Exports;
}

/** The source files that `exports` leads to, by export path. */
function sources(exports: Exports): Record<string, string> {
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [[path, target["@muster/source"]]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

const { engines, license } = readJson<Manifest>(join(root, "package.json"));
const published = packagesIn("packages", "apps").filter(({ manifest }) => !manifest.private);

describe.each(published)("$folder/package.json", ({ folder, path, manifest }) => {
  it("has what every published package has", () => {
    expect(manifest).toMatchObject({
      license,
      engines,
      type: "module",
      sideEffects: false,
      repository: { url: "git+https://github.com/muster-dev/muster.git", directory: folder },
      publishConfig: { access: "public", provenance: true },
    });
    expect(manifest.keywords).toContain("muster");
    expect(manifest.files).toContain("dist");
  });

  it("exports types and default, sources in the workspace only", () => {
    const exports = manifest.exports ?? {};
    expect(exports["./package.json"]).toBe("./package.json");
    for (const target of Object.values(exports)) {
      if (typeof target === "string") continue;
      expect(Object.keys(target)).toEqual(["@muster/source", "types", "default"]);
      expect(existsSync(join(path, target["@muster/source"] ?? ""))).toBe(true);
    }
    const expected = withoutSource(exports);
    expect(manifest.publishConfig?.exports ?? expected).toEqual(expected);
  });

  it("has a README that is short and in the order of all others", () => {
    const readme = readFileSync(join(path, "README.md"), "utf8");
    const sections = [...readme.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(sections.slice(0, 2)).toEqual(["Install", "Example"]);
    expect(sections.slice(-3)).toEqual(["Runtimes", "Stability", "Links"]);
    expect(readme.split("\n").length).toBeLessThanOrEqual(120);
  });

  it("pins what it depends on", () => {
    for (const [name, range] of Object.entries(manifest.dependencies ?? {}))
      expect(`${name} ${range}`).toMatch(/ (\d+\.\d+\.\d+|workspace:\^)$/);
  });
});

interface JsrManifest {
  name: string;
  version: string;
  license: string;
  exports: Record<string, string>;
  imports?: Record<string, string>;
}

const onJsr = published.filter(({ path }) => existsSync(join(path, "jsr.json")));

describe.each(onJsr)("$folder/jsr.json", ({ path, manifest }) => {
  const jsr = readJson<JsrManifest>(join(path, "jsr.json"));

  it("is equal to package.json", () => {
    const { name, version } = manifest;
    expect(jsr).toMatchObject({ name, version, license });
    expect(jsr.exports).toEqual(sources(manifest.exports ?? {}));
    const npm = Object.entries(npmPackages(manifest));
    expect(jsr.imports ?? {}).toEqual(
      Object.fromEntries(
        npm.map(([dependency, range]) => [dependency, `npm:${dependency}@${range}`]),
      ),
    );
  });
});

it("every package but the app is on JSR", () => {
  expect(onJsr.map(({ folder }) => folder)).toEqual(
    packagesIn("packages").map(({ folder }) => folder),
  );
});
