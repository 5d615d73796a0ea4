import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Servers that tests start, and how to get them. */
const services = {
  etcd: { command: "etcd", get: "apt-get install etcd-server" },
  nats: { command: "nats-server", get: "apt-get install nats-server" },
} as const;

/** One of them. */
export type Service = keyof typeof services;

/** The part of a test runner's `describe` that is needed. */
export interface SuiteFunction {
  (name: string, body: () => void): unknown;
  readonly skip: (name: string, body: () => void) => unknown;
}

/** Where a service's binary is; undefined when it is not installed. */
export function findService(service: Service): string | undefined {
  const { command } = services[service];
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/sbin"];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** Where a service's binary is; throws how to get it when it is not installed. */
export function requireService(service: Service): string {
  const binary = findService(service);
  if (binary === undefined) throw missing(service);
  return binary;
}

/**
 * A `describe` for suites that need real servers: `describeWith("etcd", describe)("name", () => {})`.
 * Where the server is not installed they are skipped and their names say how to get it; in CI it
 * throws.
 */
export function describeWith(
  service: Service,
  describe: SuiteFunction,
  find: (service: Service) => string | undefined = findService,
): (name: string, body: () => void) => void {
  if (find(service) !== undefined) return (name, body) => void describe(name, body);
  if (process.env.CI) throw missing(service);
  const how = `[needs ${service}: ${services[service].get}]`;
  return (name, body) => void describe.skip(`${name} ${how}`, body);
}

function missing(service: Service): Error {
  return new Error(`${service} is not installed; get it with: ${services[service].get}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // not there, or not for us
    return false;
  }
}
