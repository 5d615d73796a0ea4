import type { Random } from "../../random.ts";
import type { Objects } from "../objects.ts";
import type { Model, Pools } from "./model.ts";
import type { PodState, SliceEntry, SliceState, Wanted } from "./truth.ts";

/** Something that happens; false: it cannot happen now. */
export interface Step {
  readonly name: string;
  readonly weight: number;
  run(): Promise<boolean>;
}

const portLists: readonly [Wanted["ports"], ...Wanted["ports"][]] = [
  [8000],
  [8000, 8001],
  [8001, 8000, 8002],
  [8002],
];

/** What users and controllers do to pods, slices and pools. */
export class Steps {
  readonly #model: Model;
  readonly #random: Random;
  readonly #home: Objects;
  readonly #away: Objects;
  /** Every address is used once, so that it tells when and what a pod was. */
  #address = 0;
  #uid = 0;

  constructor(model: Model, random: Random, [home, away]: readonly [Objects, Objects]) {
    this.#model = model;
    this.#random = random;
    this.#home = home;
    this.#away = away;
  }

  all(): Step[] {
    const of = (name: string, weight: number, run: () => Promise<boolean>): Step => ({
      name,
      weight,
      run,
    });
    return [
      of("pod comes", 30, () => this.#comes()),
      of("pod changes", 30, () => this.#changes()),
      of("pod begins to go", 3, () => this.#goes()),
      of("pod is gone", 4, () => this.#isGone()),
      of("pod is replaced", 6, () => this.#replaced()),
      of("slice changes", 12, () => this.#slice()),
      of("slice is gone", 3, () => this.#sliceGone()),
      of("pool changes", 8, () => this.writePool("pools")),
      of("pool of v1alpha2 changes", 3, () => this.writePool("alphaPools")),
      of("pool is gone", 2, () => this.#poolGone()),
    ];
  }

  /** A pool that asks for something else than before. */
  async writePool(version: keyof Pools): Promise<boolean> {
    const ports = this.#random.pick(portLists);
    const app = this.#random.pick(["vllm", "sglang"]);
    const wanted = { app, ports: version === "pools" ? ports : ports.slice(0, 1) };
    await this.#model.writePool(this.#home, version, wanted);
    return true;
  }

  #pod(name: string, namespace: string): PodState {
    const random = this.#random;
    const addresses = [this.#fresh("IPv4"), this.#fresh("IPv6")];
    return {
      namespace,
      name,
      app: random.pick(["vllm", "vllm", "sglang"]),
      active: random.oneIn(4) ? random.pick(["8000", "8001,8002", "9"]) : undefined,
      addresses: random.oneIn(8) ? [] : random.oneIn(4) ? addresses : addresses.slice(0, 1),
      phase: random.pick(["Running", "Running", "Running", "Running", "Pending", "Failed"]),
      ready: !random.oneIn(4),
      deleting: false,
    };
  }

  #fresh(family: SliceState["family"]): string {
    const number = ++this.#address;
    const [high, low] = [number >> 8, number & 255];
    return family === "IPv4" ? `10.0.${high}.${low}` : `fd00::${number.toString(16)}`;
  }

  /** One of a few names, and the pod of it. */
  #someone(): { key: string; name: string; namespace: string; pod: PodState | undefined } {
    const name = `p${this.#random.below(8)}`;
    const { namespace } = this.#random.oneIn(4) ? this.#away : this.#home;
    const key = `${namespace}/${name}`;
    return { key, name, namespace, pod: this.#model.pods.get(key) };
  }

  async #comes(): Promise<boolean> {
    const { key, name, namespace, pod } = this.#someone();
    if (pod !== undefined) return false;
    await this.#model.createPod(key, this.#pod(name, namespace));
    return true;
  }

  async #changes(): Promise<boolean> {
    const { key, name, namespace, pod } = this.#someone();
    if (pod === undefined) return false;
    const { deleting } = pod;
    const next = { ...this.#pod(name, namespace), deleting };
    // mostly a restart of the server in the pod, or a change of labels
    const kept = this.#random.oneIn(3) ? {} : { addresses: pod.addresses, phase: pod.phase };
    await this.#model.changePod(key, pod, { ...next, ...kept });
    return true;
  }

  async #goes(): Promise<boolean> {
    const { key, pod } = this.#someone();
    if (pod === undefined || pod.deleting) return false;
    await this.#model.deletePod(key, pod);
    return true;
  }

  async #isGone(): Promise<boolean> {
    const { key, pod } = this.#someone();
    if (pod === undefined) return false;
    if (!pod.deleting) await this.#model.deletePod(key, pod);
    await this.#model.letPodGo(key, pod);
    return true;
  }

  async #replaced(): Promise<boolean> {
    const { key, name, namespace, pod } = this.#someone();
    if (pod === undefined) return false;
    if (!pod.deleting) await this.#model.deletePod(key, pod);
    await this.#model.letPodGo(key, pod);
    await this.#model.createPod(key, this.#pod(name, namespace));
    return true;
  }

  async #slice(): Promise<boolean> {
    const number = this.#random.below(4);
    const family = number === 3 ? "IPv6" : "IPv4";
    const names = [0, 1, 2, 3, 4].filter(() => this.#random.oneIn(2));
    const entries = names.map((each) => this.#entry(`p${each}`, family));
    const { namespace } = this.#home;
    const port = this.#random.pick([8000, 8000, 8001]);
    await this.#model.writeSlice({ namespace, name: `s${number}`, family, port, entries });
    return true;
  }

  #entry(pod: string, family: SliceState["family"]): SliceEntry {
    const random = this.#random;
    const uid = random.oneIn(3) ? `uid-${++this.#uid}` : `uid-of-${pod}`;
    const ready = !random.oneIn(4);
    const conditions = { ready, serving: !random.oneIn(6), terminating: random.oneIn(6) };
    return { pod, uid, address: this.#fresh(family), conditions };
  }

  async #sliceGone(): Promise<boolean> {
    const slice = this.#model.slices.get(`s${this.#random.below(4)}`);
    if (slice === undefined) return false;
    await this.#model.removeSlice(slice);
    return true;
  }

  async #poolGone(): Promise<boolean> {
    const version = this.#random.pick<keyof Pools>(["pools", "alphaPools"]);
    if (this.#model.pools[version] === undefined) return false;
    await this.#model.removePool(this.#home, version);
    return true;
  }
}
