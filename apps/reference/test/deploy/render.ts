import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

/** An object of a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** What is understood of a kustomization; anything else in one is an error. */
interface Kustomization {
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly images?: readonly Image[];
}

interface Image {
  readonly name: string;
  readonly newName?: string;
  readonly newTag?: string;
}

const known = new Set("apiVersion,kind,namespace,resources,components,patches,images".split(","));

/** The repository's `deploy` folder. */
export const deployFolder: string = fileURLToPath(new URL("../../../../deploy", import.meta.url));

/** The base with some of the components, as `kubectl kustomize` renders them. */
export async function renderBase(...components: string[]): Promise<Manifest[]> {
  let objects = await render(join(deployFolder, "base"));
  for (const name of components)
    objects = await render(join(deployFolder, "components", name), objects);
  return objects;
}

/** The objects of a kustomization, or what a component makes of those that are there. */
export async function render(
  folder: string,
  before: readonly Manifest[] = [],
): Promise<Manifest[]> {
  const file = join(folder, "kustomization.yaml");
  const kustomization = parse(await readFile(file, "utf8")) as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !known.has(key));
  if (unknown.length > 0) throw new Error(`${file}: not understood: ${unknown.join()}`);
  const { namespace, resources = [], components = [], patches = [], images = [] } = kustomization;
  let objects = [...before];
  for (const path of resources) objects.push(...(await load(join(folder, path))));
  for (const path of components) objects = await render(join(folder, path), objects);
  for (const { path } of patches)
    for (const patch of await readObjects(join(folder, path))) objects = patched(objects, patch);
  return objects.map((object) => withImages(inNamespace(object, namespace), images));
}

async function load(path: string): Promise<Manifest[]> {
  return (await stat(path)).isDirectory() ? render(path) : readObjects(path);
}

/** The objects of one YAML file. */
export async function readObjects(file: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await readFile(file, "utf8"));
  return documents.map((document) => {
    if (document.errors[0]) throw new Error(`${file}: ${document.errors[0].message}`);
    return document.toJS() as Manifest;
  });
}

function patched(objects: readonly Manifest[], patch: Manifest): Manifest[] {
  const { kind, metadata } = patch;
  // of these, and not of all others, a strategic merge replaces lists as a whole
  if (kind !== "Role" && kind !== "ConfigMap") throw new Error(`a patch of a ${kind}`);
  const found = objects.find((it) => it.kind === kind && it.metadata.name === metadata.name);
  if (found === undefined) throw new Error(`there is no ${kind} ${metadata.name} to patch`);
  return objects.map((it) => (it === found ? (merged(it, patch) as Manifest) : it));
}

function merged(before: unknown, patch: unknown): unknown {
  if (!isMap(before) || !isMap(patch)) return patch;
  const changes = Object.entries(patch).map(([key, value]) => [key, merged(before[key], value)]);
  return { ...before, ...Object.fromEntries(changes) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inNamespace(object: Manifest, namespace: string | undefined): Manifest {
  return namespace === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, namespace } };
}

function withImages(object: Manifest, images: readonly Image[]): Manifest {
  const text = images.reduce(
    (json, { name, newName = name, newTag }) =>
      json.replaceAll(
        new RegExp(`"image":"${name}:([^"]+)"`, "g"),
        (_, tag: string) => `"image":"${newName}:${newTag ?? tag}"`,
      ),
    JSON.stringify(object),
  );
  return JSON.parse(text) as Manifest;
}
