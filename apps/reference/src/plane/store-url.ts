import { fileURLToPath } from "node:url";
import { MusterError, parseDuration } from "@muster/core";
import type { StoreConfig } from "@muster/discovery-kv";
import { readHostPort } from "./host-port.ts";

/** Longest store URL that is read, in characters. */
const maxLength = 4096;

const schemes =
  "file:///dir, etcd://host:port, etcds://host:port or nats://host:port; `discovery list` and `watch` also take kubernetes://namespace";

/** Query parameters by scheme: the key of the store's configuration that each one sets. */
const parameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  file: { ttl: "ttl", "poll-interval": "pollInterval" },
  etcd: { ttl: "ttl", timeout: "requestTimeout" },
  etcds: { ttl: "ttl", timeout: "requestTimeout" },
  nats: { ttl: "ttl", timeout: "requestTimeout", bucket: "namespace" },
  tls: { ttl: "ttl", timeout: "requestTimeout", bucket: "namespace" },
};

/**
 * Reads a store's URL: `file:///dir`, `etcd://[user:password@]host:port,host:port`, `etcds://…` (TLS),
 * `nats://…` or `tls://…` (NATS over TLS), with `?ttl=30s` and the like behind it. Ports default to 2379 and 4222.
 *
 * @throws MusterError STORE_URL, whose message never holds the user or password.
 */
export function parseStoreUrl(text: string): StoreConfig {
  if (text.length > maxLength)
    throw wrong(text.slice(0, 60), `is longer than ${maxLength} characters`);
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  const name = scheme.toLowerCase();
  if (!Object.hasOwn(parameters, name))
    throw wrong(text, `begins with none of the schemes there are: write ${schemes}`);
  // else a part of a password would be taken for a host or a path, and be named
  if (name !== "file" && /[/?#].*@/s.test(rest))
    throw wrong(text, 'has "/", "?" or "#" before an "@"; in a password write %2F, %3F, %23');
  if (rest.includes("#"))
    throw wrong(text, 'has a fragment ("#…"); write %23 for a # that is meant');
  const [place = "", ...query] = rest.split("?");
  const settings = readParameters(text, name, query.join("?"));
  if (name === "file") return { type: "file", root: readRoot(text, place), ...settings };
  return { ...readServers(text, name, place), ...settings };
}

/** The store for people: kind and addresses, never user or password. */
export function describeStore(config: StoreConfig): string {
  if (config.type === "file") return `file store ${config.root}`;
  if (config.type === "memory") return "memory store";
  const places = config.type === "etcd" ? config.endpoints : config.servers;
  return `${config.type} at ${[places ?? []].flat().map(withoutScheme).join(", ")}`;
}

function withoutScheme(server: string): string {
  return server
    .trim()
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^[^@]*@/, "");
}

function readParameters(url: string, scheme: string, query: string): Record<string, string> {
  const settings: Record<string, string> = {};
  const allowed = parameters[scheme] ?? {};
  for (const [name, value] of new URLSearchParams(query)) {
    const key = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    const known = Object.keys(allowed).join(", ");
    if (key === undefined)
      throw wrong(url, `has a parameter "${name}" that ${scheme} does not take; it takes ${known}`);
    if (Object.hasOwn(settings, key)) throw wrong(url, `has the parameter "${name}" twice`);
    if (name !== "bucket" && !parseDuration(value))
      throw wrong(url, `has ${name}=${value}: write a duration such as ${name}=30s`);
    settings[key] = value;
  }
  return settings;
}

function readRoot(url: string, place: string): string {
  if (!/^\/./.test(place))
    throw wrong(url, "needs an absolute folder: write file:///dir, with three slashes");
  try {
    return fileURLToPath(`file://${place}`);
  } catch (error) {
    throw wrong(url, "has a folder that cannot be read", error);
  }
}

function readServers(url: string, scheme: string, place: string): StoreConfig {
  const [authority = "", ...path] = place.split("/");
  if (path.join("") !== "")
    throw wrong(url, `has a path ("/${path.join("/")}"); ${scheme} takes none`);
  const at = authority.lastIndexOf("@");
  const login: Partial<Login> = at < 0 ? {} : readLogin(url, authority.slice(0, at));
  const hosts = authority.slice(at + 1).split(",");
  if (scheme === "nats" || scheme === "tls") {
    const servers = hosts.map((host) => `${scheme}://${readServer(url, host, "4222")}`);
    return { type: "nats", servers, ...login };
  }
  const protocol = scheme === "etcds" ? "https" : "http";
  const endpoints = hosts.map((host) => `${protocol}://${readServer(url, host, "2379")}`);
  return { type: "etcd", endpoints, ...login };
}

interface Login {
  readonly username: string;
  readonly password: string;
}

function readLogin(url: string, text: string): Login {
  const [user = "", ...password] = text.split(":");
  try {
    const login = {
      username: decodeURIComponent(user),
      password: decodeURIComponent(password.join(":")),
    };
    if (login.username !== "" && login.password !== "") return login;
  } catch (error) {
    throw wrong(url, "has a user or password that is not percent-encoded rightly", error);
  }
  throw wrong(url, "needs both a user and a password before the @, or neither");
}

function readServer(url: string, text: string, fallback: string): string {
  const server = readHostPort(text, fallback);
  if (server !== undefined) return server;
  const hint = text.split(":").length > 2 ? "; an IPv6 address goes in brackets" : "";
  throw wrong(url, `has "${text}" where host:port belongs${hint}`);
}

function wrong(url: string, what: string, cause?: unknown): MusterError {
  // up to the last @: a password may hold one that should have been encoded; and some write it behind
  const shown = url.replace(/(:\/\/).*@/s, "$1…@").replace(/\?.*/s, "?…");
  return new MusterError("STORE_URL", `the store URL "${shown}" ${what}`, { cause });
}
