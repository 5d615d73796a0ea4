import type { GroupVersionKind, NotificationEvent } from "@muster/core";

/**
 * Holds the events of one kind to the rules of section 3 of the behaviour, whatever a watcher gives: an
 * update without a new resourceVersion is not delivered, such as those of objects that are listed
 * again after a watch was reopened; a deleted object has kind, name and namespace, and nothing else.
 */
export class ObjectVersions {
  readonly #identity: { readonly apiVersion: string; readonly kind: string };
  readonly #versions = new Map<string, string>();

  constructor({ group, version, kind }: GroupVersionKind) {
    this.#identity = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  }

  /** The event to deliver; nothing when it says what is known already. */
  admit(event: NotificationEvent): NotificationEvent | undefined {
    const { name = "", namespace = "", resourceVersion } = event.object.metadata ?? {};
    const key = `${namespace}/${name}`;
    if (event.type === "Delete") {
      this.#versions.delete(key);
      const metadata = Object.freeze({ name, namespace });
      return Object.freeze({
        type: event.type,
        object: Object.freeze({ ...this.#identity, metadata }),
      });
    }
    if (resourceVersion === undefined) return event;
    if (this.#versions.get(key) === resourceVersion) return undefined;
    this.#versions.set(key, resourceVersion);
    return event;
  }
}
