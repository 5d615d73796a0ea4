import { isMusterError, MusterError } from "@muster/core";
import { abortedError, DiscoveryMetadata, onAbort } from "@muster/core/plane";
import type { KubeApi } from "../api/kube-api.ts";
import { resourcePath } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { type KubeIdentity, recordName } from "./identity.ts";
import { recordsOf } from "./published-records.ts";
import { isObject } from "./read-data.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { fieldManager, workerMetadata, workerMetadataJson } from "./worker-metadata.ts";

/** ms that taking everything away may take. */
const clearTimeout = 5000;

interface Caller {
  /** For messages. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** A change of what is registered. */
export interface OwnChange<T> extends Caller {
  /** Changes a copy, which counts when it has been written. */
  edit(metadata: DiscoveryMetadata): T;
}

interface WriteWait {
  readonly signal?: AbortSignal | undefined;
  /** ms */
  readonly timeout?: number | undefined;
}

/** The object of this worker: what it has registered, written as a whole with every change. */
export class OwnRecord {
  readonly #identity: KubeIdentity;
  readonly #api: () => Promise<KubeApi>;
  readonly #path: string;
  #metadata = new DiscoveryMetadata();
  /** Changes wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isCleaned = false;
  /** What the server has is not certainly what we have. */
  #isUncertain = false;

  constructor(identity: KubeIdentity, api: () => Promise<KubeApi>) {
    this.#identity = identity;
    this.#api = api;
    const { namespace } = identity;
    this.#path = resourcePath(workerMetadata, { namespace, name: recordName(identity) });
  }

  /** What is registered; not to be changed. */
  get metadata(): DiscoveryMetadata {
    return this.#metadata;
  }

  /**
   * Changes what is registered, and writes it. When that fails nothing has changed here, and the next
   * write corrects what the server may have taken after all.
   *
   * @throws MusterError what `edit` throws, PLANE_ABORTED, KUBE_…
   */
  change<T>(change: OwnChange<T>): Promise<T> {
    return this.#next(() => this.#change(change), change);
  }

  /** As {@link change}, without a write when nothing changes. */
  changeIfNeeded(change: OwnChange<void>): Promise<void> {
    return this.#next(async () => {
      const draft = copyOf(this.#metadata);
      change.edit(draft);
      if (this.#isUncertain || draft.toJson() !== this.#metadata.toJson())
        await this.#change(change);
    }, change);
  }

  /** Takes everything away; the object itself stays until its pod is gone. */
  clear(): Promise<void> {
    return this.#next(async () => {
      const isEmpty = recordsOf(this.#metadata).length === 0;
      if (isEmpty && !this.#isUncertain) return;
      await this.#apply(new DiscoveryMetadata(), { timeout: clearTimeout });
      this.#metadata = new DiscoveryMetadata();
    });
  }

  /** Does it in its turn; who leaves meanwhile waits no longer. */
  #next<T>(work: () => Promise<T>, caller?: Caller): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    const { what = "", signal } = caller ?? {};
    if (signal === undefined) return turn;
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => reject(abortedError(what, signal)));
      turn.then(resolve, reject).finally(forget);
    });
  }

  async #change<T>({ what, signal, edit }: OwnChange<T>): Promise<T> {
    const draft = copyOf(this.#metadata);
    return await unlessAborted(what, signal, async () => {
      const result = edit(draft);
      await this.#apply(draft, { signal });
      this.#metadata = draft;
      return result;
    });
  }

  async #apply(metadata: DiscoveryMetadata, wait: WriteWait): Promise<void> {
    const api = await this.#api();
    if (!this.#isCleaned) await this.#removeEarlierLife(api, wait.signal);
    this.#isCleaned = true;
    this.#isUncertain = true;
    await api.request({
      method: "PATCH",
      path: this.#path,
      query: { fieldManager, force: true },
      contentType: "application/apply-patch+yaml",
      body: workerMetadataJson(this.#identity, metadata),
      ...wait,
    });
    this.#isUncertain = false;
  }

  /** What is there before our first write is of a life before a restart; its addresses are stale. */
  async #removeEarlierLife(api: KubeApi, signal: AbortSignal | undefined): Promise<void> {
    const found = await this.#get(api, signal);
    if (found === undefined) return;
    if (!this.#isOurs(found)) throw this.#notOurs("does not belong to this pod alone");
    const { uid, resourceVersion } = found.metadata;
    await orNothing(
      api.request({
        method: "DELETE",
        path: this.#path,
        body: { preconditions: { uid, resourceVersion } },
        signal,
      }),
    );
    if ((await this.#get(api, signal)) !== undefined)
      throw this.#notOurs("is still there after it was deleted");
  }

  #get(api: KubeApi, signal: AbortSignal | undefined): Promise<KubeObject | undefined> {
    return orNothing(api.request<KubeObject>({ path: this.#path, signal }));
  }

  #isOurs({ metadata: { ownerReferences } }: KubeObject): boolean {
    const { podName, podUid } = this.#identity;
    if (!Array.isArray(ownerReferences) || ownerReferences.length !== 1) return false;
    const [owner] = ownerReferences as readonly unknown[];
    return (
      isObject(owner) && owner.kind === "Pod" && owner.name === podName && owner.uid === podUid
    );
  }

  #notOurs(problem: string): MusterError {
    const { podName, podUid } = this.#identity;
    return new MusterError(
      "KUBE_CONFLICT",
      `${this.#path} ${problem} (${podName}, uid ${podUid}): it goes with the pod that owns it, else delete it`,
    );
  }
}

/** The answer, or nothing when it is not there. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMusterError(error) && error.code === "KUBE_NOT_FOUND") return undefined;
    throw error;
  }
}

function copyOf({
  endpoints,
  modelCards,
  eventChannels,
  eventSources,
}: DiscoveryMetadata): DiscoveryMetadata {
  const copy = new DiscoveryMetadata();
  for (const instance of endpoints.values()) copy.registerEndpoint(instance);
  for (const instance of modelCards.values()) copy.registerModelCard(instance);
  for (const instance of eventChannels.values()) copy.registerEventChannel(instance);
  for (const instance of eventSources.values()) copy.registerEventSource(instance);
  return copy;
}
