import { resolve } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";

/** A kubeconfig file, as it was read. */
export interface KubeconfigFile {
  /** Its directory, which relative paths begin from. */
  readonly root: string;
  readonly content: unknown;
}

interface NamedUser {
  readonly name?: unknown;
  readonly user?: { readonly tokenFile?: unknown } | null;
}

/**
 * Has the users of a kubeconfig read their `tokenFile`, which goes before a `token`: the client library knows
 * such files only for the service account of a pod.
 */
export function useTokenFiles(config: KubeConfig, { root, content }: KubeconfigFile): void {
  const { users } = content as { readonly users?: readonly (NamedUser | null)[] | null };
  const files = new Map<unknown, string>();
  for (const named of users ?? []) {
    const tokenFile = named?.user?.tokenFile;
    if (typeof tokenFile === "string" && tokenFile !== "") files.set(named?.name, tokenFile);
  }
  config.users = config.users.map((user) => {
    const tokenFile = files.get(user.name);
    if (tokenFile === undefined) return user;
    const { token: _token, ...rest } = user;
    const provider = { name: "tokenFile", config: { tokenFile: resolve(root, tokenFile) } };
    return { ...rest, authProvider: provider };
  });
}
