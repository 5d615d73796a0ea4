import { MusterError, parseDuration } from "@muster/core";
import type { StoreConfig } from "@muster/discovery-kv";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type KindName, kindNames, type RecordFilter } from "../../plane/kinds.ts";
import { isKubeUrl } from "../../plane/kube-url.ts";
import { type PlaneConfig, resolvePlane } from "../../plane/plane-config.ts";
import { connectTimeoutOf, resolveStore } from "../../plane/store-env.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";

/** `--store`. */
export function storeOption(): Option {
  return new Option(
    "--store <url>",
    "file:///dir, etcd://host:port,host:port, etcds://… or nats://host:port (default: the environment's)",
  );
}

/** `--connect-timeout`, and what it is by default. */
export function connectTimeoutOption(
  preset = "ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS, or 120s",
): Option {
  return new Option(
    "--connect-timeout <duration>",
    `how long to wait for the store at start (default: ${preset})`,
  ).argParser((text) => {
    const ms = parseDuration(text);
    if (ms !== undefined) return ms;
    throw new InvalidArgumentError("give a duration such as 30s");
  });
}

/** Flags of every command that reaches a store. */
export interface StoreFlags {
  readonly store?: string;
  readonly connectTimeout?: number;
}

/** The store meant by the flags and the environment. */
export function storeOf({ store }: StoreFlags, { env }: Pick<Io, "env">): StoreConfig {
  if (!isKubeUrl(store)) return resolveStore(store, env);
  throw new MusterError(
    "USAGE",
    "only `muster discovery list` and `watch` take kubernetes://: there workers register themselves, and k8s-discovery finds them",
  );
}

/** The plane meant by the flags and the environment, to be looked at. */
export function planeOf({ store }: StoreFlags, { env }: Pick<Io, "env">): PlaneConfig {
  return resolvePlane(store, env);
}

/** ms to wait for it at start. */
export function patienceOf({ connectTimeout }: StoreFlags, { env }: Pick<Io, "env">): number {
  return connectTimeout ?? connectTimeoutOf(env);
}

/** Flags that say which records are meant. */
export interface FilterFlags extends RecordFilter {
  readonly kind: KindName | "all";
}

/** `--namespace`, `--component`, `--endpoint` and `--kind`. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--namespace <name>", "only this namespace (default: DYN_NAMESPACE, or all)")
    .option("--component <name>", "only this component")
    .option("--endpoint <name>", "only this endpoint")
    .addOption(
      new Option("--kind <kind>", "only records of this kind")
        .choices([...kindNames, "all"])
        .default("all"),
    );
}

/** The filter meant; an empty `--namespace ""` is all, whatever the environment says. */
export function filterOf(flags: FilterFlags, { env, err }: Pick<Io, "env" | "err">): RecordFilter {
  const { component, endpoint } = flags;
  const namespace = flags.namespace ?? env.DYN_NAMESPACE;
  if (flags.namespace === undefined && namespace)
    err(
      `only namespace ${printable(namespace)}, as DYN_NAMESPACE says; --namespace "" shows all\n`,
    );
  return { namespace: namespace || undefined, component, endpoint };
}

/** The kinds meant. */
export function kindsOf({ kind }: FilterFlags): readonly KindName[] {
  return kind === "all" ? kindNames : [kind];
}

/** Reads an instance id, hexadecimal as in keys. */
export function parseInstanceId(text: string): bigint {
  if (/^[0-9a-f]{1,16}$/i.test(text)) {
    const id = BigInt(`0x${text}`);
    if (id > 0n) return id;
  }
  throw new InvalidArgumentError("give 1 to 16 hexadecimal digits, not all 0, as `list` shows it");
}

/** The namespace to write to. */
export function namespaceOf(given: string | undefined, { env }: Pick<Io, "env">): string {
  const namespace = given ?? env.DYN_NAMESPACE;
  if (namespace) return namespace;
  throw new MusterError("USAGE", "in which namespace? give --namespace, or set DYN_NAMESPACE");
}

/** What the help of commands that only look adds to that. */
export const kubeHelp = `
Kubernetes, too: kubernetes://namespace?kubeconfig=/file&context=name&mode=container, each part optional, or
DYN_DISCOVERY_BACKEND=kubernetes with POD_NAMESPACE and DYN_KUBE_DISCOVERY_MODE.`;

/** What every command's help says about the store. */
export const storeHelp = `
A URL may hold user:password@, but whoever lists the processes can read it: set ETCD_AUTH_USERNAME and
ETCD_AUTH_PASSWORD instead. Parameters: ?ttl=30s, timeout=5s (etcd, nats), poll-interval=1s (file),
bucket=name (nats). Without --store: DYN_DISCOVERY_BACKEND (etcd, file, nats), ETCD_ENDPOINTS,
DYN_FILE_KV, NATS_SERVER. For TLS: ETCD_AUTH_CA, ETCD_AUTH_CLIENT_CERT, ETCD_AUTH_CLIENT_KEY.`;
