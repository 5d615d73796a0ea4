import { ClusterView, type ClusterViewOptions } from "./cluster-view.ts";

/** A view that is followed as long as it is held. */
export interface HeldView {
  readonly view: ClusterView;
  /** To be called once. */
  release(): void;
}

/** One view for all watches of a plane, from the first to the last. */
export class SharedView {
  readonly #options: () => Promise<ClusterViewOptions>;
  readonly #stopping = new Set<Promise<void>>();
  #shared: { readonly view: ClusterView; users: number } | undefined;

  constructor(options: () => Promise<ClusterViewOptions>) {
    this.#options = options;
  }

  /** The view, if somebody holds it. */
  get current(): ClusterView | undefined {
    return this.#shared?.view;
  }

  async acquire(): Promise<HeldView> {
    const options = await this.#options();
    this.#shared ??= { view: new ClusterView(options), users: 0 };
    const shared = this.#shared;
    shared.users += 1;
    return {
      view: shared.view,
      release: () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        if (this.#shared === shared) this.#shared = undefined;
        this.#stop(shared.view);
      },
    };
  }

  /** Stops the view, whoever holds it; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    if (this.#shared !== undefined) this.#stop(this.#shared.view);
    this.#shared = undefined;
    await Promise.all(this.#stopping);
  }

  #stop(view: ClusterView): void {
    const stopped = view.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}
