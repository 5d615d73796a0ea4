import { isMusterError, type MusterError, type PluginContext } from "@muster/core";
import {
  createKubernetesServer,
  type KubernetesServer,
  type KubernetesServerOptions,
} from "@muster/testkit/kubernetes";
import { expect } from "vitest";
import {
  createKubeApi,
  createReflector,
  directCluster,
  type KubeApi,
  type KubeObjectMeta,
  type Reflector,
  type ReflectorEvent,
  type ReflectorTiming,
} from "../../../src/index.ts";

const maps = { group: "", version: "v1", plural: "configmaps" };
const path = "/api/v1/namespaces/default/configmaps";

/** Times in which a test can wait for every recovery, where bookmarks come every 50 ms. */
export const fast: Partial<ReflectorTiming> = {
  retryInitial: 10,
  retryCap: 50,
  reconnectCap: 50,
  silence: 1000,
};

/** What a reader was told, and what it believes. */
export class Reader {
  readonly reflector: Reflector;
  /** Name to uid. */
  readonly objects: Map<string, string | undefined> = new Map();
  readonly events: ReflectorEvent[] = [];
  readonly interruptions: (string | undefined)[] = [];
  problem: MusterError | undefined;
  synced = 0;
  readonly done: Promise<void>;

  constructor(reflector: Reflector, signal: AbortSignal) {
    this.reflector = reflector;
    this.done = this.#read(signal);
    // looked at when the rig is disposed of
    this.done.catch(() => undefined);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const onInterruption = (problem: MusterError | undefined): void => {
      this.problem = problem;
      this.interruptions.push(problem?.code);
    };
    for await (const event of this.reflector.events({ signal, onInterruption })) {
      this.events.push(event);
      if (event.type === "Synced") this.synced += 1;
      else this.#apply(event.type, event.object.metadata);
    }
  }

  /** Fails the test, by `done`, when an event does not fit what was told before. */
  #apply(type: "Added" | "Modified" | "Deleted", { name, uid }: KubeObjectMeta): void {
    expect(`${type} ${this.objects.has(name)}`).toBe(`${type} ${type !== "Added"}`);
    if (type !== "Added") expect(`${name} ${uid}`).toBe(`${name} ${this.objects.get(name)}`);
    if (type === "Deleted") this.objects.delete(name);
    else this.objects.set(name, uid);
  }

  get names(): string[] {
    return [...this.objects.keys()].sort();
  }

  async settles(...names: string[]): Promise<void> {
    await expect.poll(() => this.names, { timeout: 8000, interval: 5 }).toEqual(names);
  }

  /** Until it is followed: everything listed, the watch open, no problem left. */
  async follows(): Promise<void> {
    const { reflector } = this;
    await expect
      .poll(() => [this.problem?.code, this.synced > 0, reflector.state.problem?.code], {
        timeout: 8000,
        interval: 5,
      })
      .toEqual([undefined, true, undefined]);
  }
}

/** A server that can be told to fail, and readers of it. */
export class Rig implements AsyncDisposable {
  readonly server: KubernetesServer;
  readonly api: KubeApi;
  readonly #direct: KubeApi;
  readonly stop: AbortController = new AbortController();
  readonly #readers: Reader[] = [];
  readonly #names = new Set<string>();

  private constructor(server: KubernetesServer, context: Partial<PluginContext>) {
    this.server = server;
    this.api = createKubeApi(directCluster({ server: server.url }), context);
    this.#direct = createKubeApi(directCluster({ server: server.url }));
  }

  static async open(
    context: Partial<PluginContext> = {},
    options: KubernetesServerOptions = { bookmarkInterval: 50 },
  ): Promise<Rig> {
    const server = createKubernetesServer(options);
    await server.start();
    return new Rig(server, context);
  }

  read(timing: Partial<ReflectorTiming> = fast, context: Partial<PluginContext> = {}): Reader {
    const options = { api: this.api, resource: maps, namespace: "default", timing };
    const reader = new Reader(createReflector(options, context), this.stop.signal);
    this.#readers.push(reader);
    return reader;
  }

  async create(...names: string[]): Promise<void> {
    for (const name of names) {
      this.#names.add(name);
      await this.#send("POST", path, { metadata: { name } });
    }
  }

  async change(name: string, value: string): Promise<void> {
    const contentType = "application/merge-patch+json";
    await this.#send("PATCH", `${path}/${name}`, { data: { value } }, contentType);
  }

  async remove(...names: string[]): Promise<void> {
    for (const name of names) await this.#send("DELETE", `${path}/${name}`);
  }

  /** What is there: name to uid. Not by a list, which faults may hit. */
  async truth(): Promise<Map<string, string>> {
    const there = new Map<string, string>();
    for (const name of this.#names) {
      const uid = await this.#uid(name);
      if (uid !== undefined) there.set(name, uid);
    }
    return there;
  }

  /** How often something was asked. */
  count(verb: "list" | "watch", from = 0): number {
    const { requests } = this.server;
    return requests.slice(from).filter((request) => request.verb === verb).length;
  }

  async watched(): Promise<void> {
    await expect.poll(() => this.server.openWatches, { interval: 5 }).toBeGreaterThan(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    for (const reader of this.#readers) await reader.done;
    this.api.close();
    this.#direct.close();
    await this.server.stop();
  }

  async #uid(name: string): Promise<string | undefined> {
    try {
      const found = await this.#direct.request<{ metadata: { uid: string } }>({
        path: `${path}/${name}`,
      });
      return found.metadata.uid;
    } catch (error) {
      if (isMusterError(error) && error.code === "KUBE_NOT_FOUND") return undefined;
      throw error;
    }
  }

  async #send(method: string, target: string, body?: object, contentType?: string): Promise<void> {
    // a server that was away leaves dead connections: asking first finds a live one
    await this.#direct.request({ path: "/version" });
    await this.#direct.request({ method, path: target, body, contentType });
  }
}
