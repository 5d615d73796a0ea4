import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject } from "./api-object.ts";
import { discoveryDocument } from "./discovery-documents.ts";
import type { FaultBoard, InjectedFailure } from "./faults.ts";
import { writeJson } from "./json.ts";
import { ListHandler } from "./list-handler.ts";
import type { ObjectPlace, Stored } from "./object-place.ts";
import { ApiObjects } from "./objects.ts";
import { type ApiUser, Authorizer } from "./rbac.ts";
import { readBody } from "./read-body.ts";
import { Removal } from "./removal.ts";
import { type ApiRequest, parsePath, typeOf, verbOf } from "./request.ts";
import type { ResourceType } from "./resource-types.ts";
import { selectedName, selectorOf } from "./selectors.ts";
import { failure, notFound, StatusError } from "./status.ts";
import type { Users } from "./users.ts";
import { WatchHandler } from "./watch-handler.ts";

/** A request that was made, in the words of RBAC. */
export interface RecordedRequest extends ApiRequest {
  readonly user: string;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** What an {@link ApiHandler} works on. */
export interface ApiHandlerOptions extends Stored {
  readonly users: Users;
  readonly faults: FaultBoard;
  /** ms. */
  readonly bookmarkInterval: number;
}

/** One request that is being answered. */
interface Exchange {
  readonly asked: ApiRequest;
  readonly type: ResourceType;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Requests that are remembered. */
const maxRecorded = 100_000;

/** Answers HTTP requests as an API server does: who asks, whether they may, then the objects. */
export class ApiHandler {
  readonly requests: RecordedRequest[] = [];
  readonly objects: ApiObjects;
  readonly #options: ApiHandlerOptions;
  readonly #removal: Removal;
  readonly #authorizer: Authorizer;
  readonly #lists: ListHandler;
  readonly #watches: WatchHandler;

  constructor(options: ApiHandlerOptions) {
    const { storage, types, faults, bookmarkInterval } = options;
    this.#options = options;
    this.#removal = new Removal(options);
    this.objects = new ApiObjects(options, this.#removal);
    this.#authorizer = new Authorizer(storage, types);
    this.#lists = new ListHandler(storage);
    this.#watches = new WatchHandler(storage, faults, bookmarkInterval);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    const query = url.searchParams;
    const user = this.#options.users.identify(request);
    if (/^\/(healthz|readyz|livez)$/.test(url.pathname)) return sendText(response, "text/plain");
    const document = discoveryDocument(url.pathname, this.#options.types);
    if (document && request.method === "GET") return sendJson(response, 200, document);
    const parsed = parsePath(url.pathname);
    if (parsed === undefined) throw notFound();
    const verb = verbOf(request.method ?? "", parsed.name, isWatch(query));
    if (verb === undefined)
      throw new StatusError(405, "MethodNotAllowed", `${request.method} is not allowed here`);
    const asked: ApiRequest = { ...parsed, verb };
    try {
      this.#authorizer.check(user, { ...asked, name: asked.name ?? selectedName(query) });
      if (await this.#fails(asked, response)) return this.#record(asked, user, response.statusCode);
      const type = typeOf(asked, this.#options.types);
      if (type === undefined) throw notFound();
      await this.#serve({ asked, type, query, request, response });
      this.#record(asked, user, response.statusCode);
    } catch (error) {
      this.#record(asked, user, error instanceof StatusError ? error.code : 500);
      throw error;
    }
  }

  #record(asked: ApiRequest, { name }: ApiUser, status: number): void {
    this.requests.push({ ...asked, user: name, status });
    if (this.requests.length > maxRecorded) this.requests.splice(0, maxRecorded / 2);
  }

  /** Whether a fault has answered instead. */
  async #fails({ verb, resource }: ApiRequest, response: ServerResponse): Promise<boolean> {
    const injected = this.#options.faults.failureFor(verb, resource);
    if (injected) return answerWith(injected, response);
    const { listDelay } = this.#options.faults;
    if (verb === "list" && listDelay > 0)
      await new Promise((resolve) => setTimeout(resolve, listDelay));
    return false;
  }

  async #serve({ asked, type, query, request, response }: Exchange): Promise<void> {
    const { namespace, name, verb } = asked;
    if (verb === "watch") return this.#watches.watch({ type, namespace, name, query }, response);
    if (verb === "list") return sendJson(response, 200, this.#lists.list(type, namespace, query));
    const body = await readBody(request);
    const manager = managerOf(query, request);
    if (verb === "create") {
      if (name !== undefined)
        throw new StatusError(405, "MethodNotAllowed", "an object is created at its collection");
      const created = this.objects.create(type, namespace, objectOf(body), { manager });
      return sendJson(response, 201, created);
    }
    if (name === undefined) return sendJson(response, 200, this.#deleteAll(type, namespace, query));
    const place: ObjectPlace = { type, namespace, name, subresource: asked.subresource };
    if (verb === "patch") {
      const [object, made] = this.objects.patch(place, body, {
        contentType: request.headers["content-type"] ?? "",
        manager,
        saidManager: query.has("fieldManager"),
        force: query.get("force") === "true",
      });
      return sendJson(response, made ? 201 : 200, object);
    }
    sendJson(response, 200, this.#single(verb, place, { body, manager, query }));
  }

  #single(
    verb: ApiRequest["verb"],
    place: ObjectPlace,
    { body, manager, query }: { body: unknown; manager: string; query: URLSearchParams },
  ): object {
    if (verb === "get") return this.objects.get(place);
    if (verb === "update") return this.objects.update(place, objectOf(body), { manager });
    return this.#removal.delete(place, { ...deleteQuery(query), ...(isJsonObject(body) && body) });
  }

  #deleteAll(type: ResourceType, namespace: string | undefined, query: URLSearchParams): object {
    const selected = this.#options.storage.list(type, namespace).filter(selectorOf(type, query));
    for (const { metadata } of selected)
      this.#removal.delete({ type, namespace: metadata.namespace, name: metadata.name });
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
  }
}

function answerWith(injected: InjectedFailure, response: ServerResponse): boolean {
  const { status, reason = "InternalError", retryAfter, body } = injected;
  if (body !== undefined) {
    response.statusCode = status;
    sendText(response, "text/html", body);
    return true;
  }
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  throw new StatusError(status, reason, `injected failure ${status}`, headers);
}

function isWatch(query: URLSearchParams): boolean {
  return ["true", "1"].includes(query.get("watch") ?? "");
}

/** Who owns what is written: who the request says, else the first part of its user agent. */
function managerOf(query: URLSearchParams, { headers }: IncomingMessage): string {
  const [agent = ""] = (headers["user-agent"] ?? "").split("/");
  return query.get("fieldManager") ?? (agent === "" ? "unknown" : agent);
}

function deleteQuery(query: URLSearchParams): JsonObject {
  return Object.fromEntries(
    ["gracePeriodSeconds", "propagationPolicy"].flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function objectOf(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw new StatusError(400, "BadRequest", "the body is no object");
}

function sendText(response: ServerResponse, type: string, text = "ok"): void {
  response.setHeader("content-type", type);
  response.end(text);
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
