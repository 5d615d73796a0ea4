import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";

/** An object of a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** The objects of one of the package's manifests. */
export async function readManifest(file: "crd" | "rbac"): Promise<Manifest[]> {
  const url = new URL(`../../manifests/${file}.yaml`, import.meta.url);
  const documents = parseAllDocuments(await readFile(url, "utf8"));
  return documents.map((document) => document.toJS() as Manifest);
}
