import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "./api-object.ts";
import { discoveryDocument } from "./discovery-documents.ts";
import { FaultBoard, type KubernetesFaults } from "./faults.ts";
import { writeJson } from "./json.ts";
import { ListHandler } from "./list-handler.ts";
import { ApiObjects, type ObjectPlace } from "./objects.ts";
import { type ApiUser, Authorizer } from "./rbac.ts";
import { readBody } from "./read-body.ts";
import { type ApiRequest, parsePath, typeOf, verbOf } from "./request.ts";
import { type ResourceType, ResourceTypes } from "./resource-types.ts";
import { badRequest, failure, notFound, StatusError } from "./status.ts";
import { Storage } from "./storage.ts";
import { Users } from "./users.ts";
import { WatchHandler } from "./watch-handler.ts";

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

/** A request that was made, in the words of RBAC. */
export interface RecordedRequest extends ApiRequest {
  readonly user: string;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** A Kubernetes API server for tests: the protocol over real HTTP, without a cluster behind it. */
export interface KubernetesServer {
  /** Base URL, once started. */
  readonly url: string;
  readonly faults: KubernetesFaults;
  /** Every request about a resource, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Watches that are open now. */
  readonly openWatches: number;
  start(): Promise<void>;
  /** Breaks all connections; objects stay for the next start, on the same port. */
  stop(): Promise<void>;
  /** A kubeconfig (JSON, which is YAML) with the server's address and token. */
  kubeconfig(options?: { readonly token?: string; readonly ca?: string }): string;
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
  readonly requests: RecordedRequest[] = [];
  readonly faults: FaultBoard;
  readonly #options: KubernetesServerOptions;
  readonly #storage = new Storage();
  readonly #types = new ResourceTypes();
  readonly #users = new Users();
  readonly #objects: ApiObjects;
  readonly #authorizer: Authorizer;
  readonly #lists: ListHandler;
  readonly #watches: WatchHandler;
  #server: Server | undefined;
  #port: number;

  constructor(options: KubernetesServerOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z");
    this.faults = new FaultBoard(() => this.#storage.compact());
    this.#objects = new ApiObjects(this.#storage, this.#types, now);
    this.#authorizer = new Authorizer(this.#storage, this.#types);
    this.#lists = new ListHandler(this.#storage);
    this.#watches = new WatchHandler(
      this.#storage,
      this.faults,
      options.bookmarkInterval ?? 60_000,
    );
    if (options.token !== undefined)
      this.#users.addToken(options.token, { name: "admin", admin: true });
    if (options.tls?.clientCa !== undefined) this.#users.acceptCertificates();
    const namespaces = this.#types.find("", "v1", "namespaces");
    for (const name of ["default", "kube-system"])
      if (namespaces) this.#objects.create(namespaces, undefined, { metadata: { name } });
  }

  get url(): string {
    return `${this.#options.tls ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  get openWatches(): number {
    return this.faults.openWatches;
  }

  async start(): Promise<void> {
    const { tls } = this.#options;
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#handle(request, response);
    const server = tls
      ? createHttps(
          {
            cert: tls.cert,
            key: tls.key,
            ...(tls.clientCa !== undefined && {
              ca: tls.clientCa,
              requestCert: true,
              rejectUnauthorized: false,
            }),
          },
          handle,
        )
      : createHttp(handle);
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

  kubeconfig({ token = this.#options.token, ca }: { token?: string; ca?: string } = {}): string {
    const cluster = {
      server: this.url,
      ...(ca !== undefined && { "certificate-authority-data": btoa(ca) }),
    };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: "test", user: token === undefined ? {} : { token } }],
      contexts: [
        { name: "test", context: { cluster: "test", user: "test", namespace: "default" } },
      ],
      "current-context": "test",
    });
  }

  addServiceAccount(namespace: string, name: string): string {
    const token = globalThis.crypto.randomUUID();
    const user: ApiUser = { name: `system:serviceaccount:${namespace}:${name}`, admin: false };
    this.#users.addToken(token, user);
    return token;
  }

  revokeToken(token: string): void {
    this.#users.removeToken(token);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      const refused =
        error instanceof StatusError ? error : new StatusError(500, "InternalError", String(error));
      if (response.headersSent) response.destroy();
      else sendJson(response, refused.code, failure(refused), refused.headers);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://server");
    const user = this.#users.identify(request);
    if (/^\/(healthz|readyz|livez)$/.test(url.pathname)) return sendText(response, "ok");
    const document = discoveryDocument(url.pathname, this.#types);
    if (document && request.method === "GET") return sendJson(response, 200, document);
    const parsed = parsePath(url.pathname);
    const verb = verbOf(request.method ?? "", parsed?.name, isWatch(url.searchParams));
    if (parsed === undefined || verb === undefined) throw notFound();
    const asked: ApiRequest = { ...parsed, verb };
    response.on("close", () => this.#record(asked, user, response.statusCode));
    this.#authorizer.check(user, asked);
    await this.#maybeFail(asked);
    const type = typeOf(asked, this.#types);
    if (type === undefined) throw notFound();
    await this.#serve({ asked, type, url, request, response });
  }

  #record(asked: ApiRequest, { name }: ApiUser, status: number): void {
    this.requests.push({ ...asked, user: name, status });
  }

  async #maybeFail({ verb, resource }: ApiRequest): Promise<void> {
    const injected = this.faults.failureFor(verb, resource);
    if (injected) {
      const { status, reason = "InternalError" } = injected;
      throw new StatusError(status, reason, `injected failure ${status}`);
    }
    const { listDelay } = this.faults;
    if (verb === "list" && listDelay > 0)
      await new Promise((resolve) => setTimeout(resolve, listDelay));
  }

  async #serve({ asked, type, url, request, response }: Exchange): Promise<void> {
    const { namespace, name } = asked;
    const query = url.searchParams;
    if (asked.verb === "watch") return this.#watches.watch({ type, namespace, query }, response);
    if (asked.verb === "list")
      return sendJson(response, 200, this.#lists.list(type, namespace, query));
    const body = await readBody(request);
    if (asked.verb === "create")
      return sendJson(response, 201, this.#objects.create(type, namespace, objectOf(body)));
    if (name === undefined) throw badRequest("deleting a whole collection is not supported");
    const place: ObjectPlace = { type, namespace, name, subresource: asked.subresource };
    sendJson(response, 200, this.#single(asked.verb, place, { body, query, request }));
  }

  #single(
    verb: ApiRequest["verb"],
    place: ObjectPlace,
    { body, query, request }: { body: unknown; query: URLSearchParams; request: IncomingMessage },
  ): object {
    if (verb === "get") return this.#objects.get(place);
    if (verb === "update") return this.#objects.update(place, objectOf(body));
    if (verb === "delete") return this.#objects.delete(place, isJsonObject(body) ? body : {});
    return this.#objects.patch(place, body, {
      contentType: request.headers["content-type"] ?? "",
      fieldManager: query.get("fieldManager") ?? undefined,
      force: query.get("force") === "true",
    });
  }
}

interface Exchange {
  readonly asked: ApiRequest;
  readonly type: ResourceType;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function isWatch(query: URLSearchParams): boolean {
  return ["true", "1"].includes(query.get("watch") ?? "");
}

function objectOf(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw badRequest("the body is no object");
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/plain" }).end(text);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(writeJson(body));
}
