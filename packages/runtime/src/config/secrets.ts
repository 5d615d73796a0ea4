import { dirname, resolve } from "node:path";
import { messageOf } from "@muster/core";
import { readBounded } from "./bounded-read.ts";
import { type JsonSchema, SchemaCursor } from "./json-schema.ts";
import type { ConfigPath, Report } from "./report.ts";

/** Larger than any token, key or certificate. */
const maxSecretBytes = 64 * 1024;

const reference = /\$\{(env|file):([^}]*)\}/g;

/** Where secrets come from, and where problems go. */
export interface SecretsContext {
  /** Relative files are looked for in this file's folder. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
}

/**
 * Replaces `${env:NAME}` and `${file:path}` in the values whose schema says that they are secret.
 * Anywhere else such a text is a problem: the user would get it literally.
 */
export async function resolveSecrets(
  value: unknown,
  where: { readonly schema: JsonSchema; readonly path: ConfigPath },
  context: SecretsContext,
): Promise<unknown> {
  return new SecretResolver(context).resolve(value, SchemaCursor.of(where.schema), where.path);
}

class SecretResolver {
  readonly #context: SecretsContext;

  constructor(context: SecretsContext) {
    this.#context = context;
  }

  async resolve(value: unknown, schema: SchemaCursor, path: ConfigPath): Promise<unknown> {
    if (typeof value === "string") return this.#resolveText(value, schema, path);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value))
      return Promise.all(
        value.map((item, index) => this.resolve(item, schema.step(index), [...path, index])),
      );
    const result: Record<string, unknown> = Object.create(null);
    for (const [key, item] of Object.entries(value))
      result[key] = await this.resolve(item, schema.step(key), [...path, key]);
    return result;
  }

  async #resolveText(text: string, schema: SchemaCursor, path: ConfigPath): Promise<string> {
    const references = [...text.matchAll(reference)];
    if (references.length === 0) {
      if (schema.secret) this.#context.report.hide(text);
      return text;
    }
    if (!schema.secret) {
      const message = `${references[0]?.[0]} is read in secret fields only, and this is none: write the value itself`;
      this.#context.report.problem(path, message);
      return text;
    }
    let result = text;
    for (const [whole, kind, name = ""] of references) {
      const secret = await this.#read(kind === "env" ? "env" : "file", name, path);
      // a function, since a replacement text may hold `$&`
      if (secret !== undefined) result = result.replace(whole, () => secret);
    }
    return result;
  }

  async #read(kind: "env" | "file", name: string, path: ConfigPath): Promise<string | undefined> {
    const { env, report } = this.#context;
    const secret = kind === "env" ? this.#variable(name, env) : await this.#fileContent(name);
    if (secret.problem !== undefined) report.problem(path, secret.problem);
    else report.hide(secret.value);
    return secret.value;
  }

  #variable(name: string, env: SecretsContext["env"]): Found {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value) return { value };
    const state = value === undefined ? "is not set" : "is empty";
    return { problem: `environment variable "${name}" ${state}` };
  }

  async #fileContent(name: string): Promise<Found> {
    try {
      const bytes = await readBounded(resolve(dirname(this.#context.file), name), {
        limit: maxSecretBytes,
      });
      if (bytes === undefined)
        return { problem: `file "${name}" is larger than ${maxSecretBytes / 1024} KiB` };
      const value = new TextDecoder().decode(bytes).replace(/[\r\n]+$/, "");
      return value === "" ? { problem: `file "${name}" is empty` } : { value };
    } catch (error) {
      return { problem: `file "${name}" cannot be read: ${messageOf(error)}` };
    }
  }
}

type Found =
  | { readonly value: string; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };
