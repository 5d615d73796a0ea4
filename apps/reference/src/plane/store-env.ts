import { tmpdir } from "node:os";
import { join } from "node:path";
import { MusterError } from "@muster/core";
import type { StoreConfig } from "@muster/discovery-kv";
import { parseStoreUrl } from "./store-url.ts";

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const takes = "etcd, file or nats";

/**
 * The store that a URL names, or else the environment, as the original's workers read it: the variables
 * are those of docs/discovery-plane.md. What the URL leaves open (credentials, TLS, lifetime) comes from
 * the environment, too.
 *
 * @throws MusterError STORE_URL for the URL, STORE_CONFIG for a variable, USAGE when nothing says which
 *   store.
 */
export function resolveStore(url: string | undefined, env: Environment): StoreConfig {
  if (url !== undefined) return withEnvironment(parseStoreUrl(url), env);
  const named = storeOfEnvironment(env);
  if (named !== undefined) return named;
  throw new MusterError(
    "USAGE",
    "nothing says which store: give --store file:///dir, etcd://host:port, etcds://host:port or nats://host:port, " +
      "or set ETCD_ENDPOINTS, DYN_FILE_KV or DYN_DISCOVERY_BACKEND",
  );
}

/** The store that the environment names, or undefined when it names none. */
export function storeOfEnvironment(env: Environment): StoreConfig | undefined {
  const backend = chosenBackend(env);
  if (backend === undefined) return undefined;
  if (backend === "file")
    return { type: "file", root: env.DYN_FILE_KV || join(tmpdir(), "dynamo_store_kv") };
  if (backend === "nats") return natsStore(env.NATS_SERVER || "nats://localhost");
  const endpoints = (env.ETCD_ENDPOINTS || "http://localhost:2379").split(",");
  return withEnvironment({ type: "etcd", endpoints: endpoints.map((one) => one.trim()) }, env);
}

/** Fills in what a store's configuration leaves to the environment. */
function withEnvironment(config: StoreConfig, env: Environment): StoreConfig {
  if (config.type !== "etcd") return config;
  const ttl = env.ETCD_LEASE_TTL;
  const username = env.ETCD_AUTH_USERNAME;
  const password = env.ETCD_AUTH_PASSWORD;
  const secure = [config.endpoints].flat().some((endpoint) => !endpoint.startsWith("http:"));
  const tls = { ...pem("ca", env.ETCD_AUTH_CA), ...clientCertificate(env) };
  return {
    ...(isSeconds(ttl) && { ttl: `${ttl}s` }),
    ...(username && password && { username, password }),
    ...config,
    ...(secure && Object.keys(tls).length > 0 && config.tls === undefined && { tls }),
  };
}

/**
 * How long to wait for the store at start, in ms: ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS, default 120 s.
 *
 * @throws MusterError STORE_CONFIG when it is no number of seconds.
 */
export function connectTimeoutOf(env: Environment): number {
  const text = env.ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS;
  if (text === undefined || text === "") return 120_000;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw wrongVariable("ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS", text, "give a number of seconds");
}

function chosenBackend(env: Environment): "etcd" | "file" | "nats" | undefined {
  const backend = env.DYN_DISCOVERY_BACKEND;
  if (backend === "etcd" || backend === "file" || backend === "nats") return backend;
  // kv_store was the original's word for "etcd or file" in 2025
  if (backend === undefined || backend === "" || backend === "kv_store") {
    if (env.ETCD_ENDPOINTS) return "etcd";
    if (env.DYN_FILE_KV) return "file";
    return backend === "kv_store" ? "etcd" : undefined;
  }
  if (backend === "kubernetes")
    throw wrongVariable(
      "DYN_DISCOVERY_BACKEND",
      backend,
      `this reads and writes ${takes} stores only`,
    );
  if (backend === "mem")
    throw wrongVariable(
      "DYN_DISCOVERY_BACKEND",
      backend,
      `a memory store ends at its process; use ${takes}`,
    );
  throw wrongVariable("DYN_DISCOVERY_BACKEND", backend, `use ${takes}`);
}

/** `nats://a:4222,nats://b:4222`, the scheme once or with each. */
function natsStore(servers: string): StoreConfig {
  const scheme = /^(nats|tls):/.exec(servers.trim())?.[1] ?? "nats";
  const hosts = servers.split(",").map((server) => server.trim().replace(/^\w+:\/\//, ""));
  return parseStoreUrl(`${scheme}://${hosts.join(",")}`);
}

/** The original takes a whole number from 1, and its default for anything else. */
function isSeconds(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text);
}

function clientCertificate(env: Environment): object {
  return {
    ...pem("cert", env.ETCD_AUTH_CLIENT_CERT),
    ...pem("key", env.ETCD_AUTH_CLIENT_KEY),
  };
}

/** The original documents a path and has read PEM text: either is taken. */
function pem(name: "ca" | "cert" | "key", value: string | undefined): object {
  if (!value) return {};
  return value.includes("-----BEGIN") ? { [name]: value } : { [`${name}Path`]: value };
}

function wrongVariable(name: string, value: string, hint: string): MusterError {
  return new MusterError("STORE_CONFIG", `${name}=${value}: ${hint}`, { path: name });
}
