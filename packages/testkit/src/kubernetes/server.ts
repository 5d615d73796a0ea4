import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { ApiHandler, type RecordedRequest } from "./api-handler.ts";
import { FaultBoard, type KubernetesFaults } from "./faults.ts";
import { formatKubeconfig, type KubeconfigOptions } from "./kubeconfig.ts";
import type { Stored } from "./object-place.ts";
import { ResourceTypes } from "./resource-types.ts";
import { Storage } from "./storage.ts";
import { Users } from "./users.ts";

/** How a {@link KubernetesServer} is to be. */
export interface KubernetesServerOptions {
  /** Default: any free port of 127.0.0.1. */
  readonly port?: number | undefined;
  /** PEM texts; with `clientCa` client certificates let in. */
  readonly tls?:
    | { readonly cert: string; readonly key: string; readonly clientCa?: string | undefined }
    | undefined;
  /** Bearer token of somebody who may do everything; with none, and no client CA, anybody may. */
  readonly token?: string | undefined;
  /** ms between bookmarks; default 60,000, as API servers do. */
  readonly bookmarkInterval?: number | undefined;
}

/** A Kubernetes API server for tests: the protocol over real HTTP, without a cluster behind it. */
export interface KubernetesServer {
  /** Base URL, once started. */
  readonly url: string;
  readonly faults: KubernetesFaults;
  /** Every request about a resource, oldest first; a watch is there as soon as it is open. */
  readonly requests: readonly RecordedRequest[];
  /** Watches that are open now. */
  readonly openWatches: number;
  start(): Promise<void>;
  /** Breaks all connections; objects stay for the next start, on the same port. */
  stop(): Promise<void>;
  /** A kubeconfig (JSON, which is YAML) with the server's address, and its token unless another is given. */
  kubeconfig(options?: KubeconfigOptions): string;
  /** Lets a token in as a service account, which may do what Roles and bindings say. */
  addServiceAccount(namespace: string, name: string): string;
  /** Ends the validity of a token. */
  revokeToken(token: string): void;
}

/** Makes a server; it listens once started. Namespaces `default` and `kube-system` are there. */
export function createKubernetesServer(options: KubernetesServerOptions = {}): KubernetesServer {
  return new FakeApiServer(options);
}

class FakeApiServer implements KubernetesServer {
  readonly faults: FaultBoard;
  readonly #options: KubernetesServerOptions;
  readonly #users = new Users();
  readonly #handler: ApiHandler;
  #server: Server | undefined;
  #port: number;

  constructor(options: KubernetesServerOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    const stored: Stored = { storage: new Storage(), types: new ResourceTypes(), time: timeText };
    this.faults = new FaultBoard(() => stored.storage.compact());
    this.#handler = new ApiHandler({
      ...stored,
      users: this.#users,
      faults: this.faults,
      bookmarkInterval: options.bookmarkInterval ?? 60_000,
    });
    if (options.token !== undefined)
      this.#users.addToken(options.token, { name: "admin", groups: [], admin: true });
    if (options.tls?.clientCa !== undefined) this.#users.acceptCertificates();
    const type = stored.types.find("", "v1", "namespaces");
    for (const name of ["default", "kube-system"])
      if (type)
        this.#handler.objects.create(type, undefined, { metadata: { name } }, { manager: "fake" });
  }

  get url(): string {
    return `${this.#options.tls ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#handler.requests;
  }

  get openWatches(): number {
    return this.faults.openWatches;
  }

  async start(): Promise<void> {
    const server = this.#create(
      (request, response) => void this.#handler.handle(request, response),
    );
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.faults.dropWatches();
    server.closeAllConnections();
    await closed;
  }

  kubeconfig(options: KubeconfigOptions = {}): string {
    return formatKubeconfig(this.url, { token: this.#options.token, ...options });
  }

  addServiceAccount(namespace: string, name: string): string {
    const token = globalThis.crypto.randomUUID();
    this.#users.addToken(token, {
      name: `system:serviceaccount:${namespace}:${name}`,
      groups: [
        "system:serviceaccounts",
        `system:serviceaccounts:${namespace}`,
        "system:authenticated",
      ],
      admin: false,
    });
    return token;
  }

  revokeToken(token: string): void {
    this.#users.removeToken(token);
  }

  #create(handle: (request: IncomingMessage, response: ServerResponse) => void): Server {
    const { tls } = this.#options;
    if (!tls) return createHttp(handle);
    const { cert, key, clientCa: ca } = tls;
    const clients = ca !== undefined && { ca, requestCert: true, rejectUnauthorized: false };
    return createHttps({ cert, key, ...clients }, handle);
  }
}

/** As Kubernetes writes times. */
function timeText(later = 0): string {
  return new Date(Date.now() + later * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
