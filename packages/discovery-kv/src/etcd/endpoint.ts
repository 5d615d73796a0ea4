/** One member of the cluster. */
export interface Endpoint {
  readonly secure: boolean;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** `https://host:port`, for messages. */
  readonly url: string;
}

/** `http://host:port`, `https://host:port` or `host:port`, the port optional. */
export const endpointPattern: RegExp =
  /^(?:(https?):\/\/)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?\/?$/;

/** etcd's port for clients. */
const defaultPort = 2379;

/** Reads what {@link endpointPattern} takes; without scheme, `secure` decides. */
export function parseEndpoint(text: string, secure: boolean): Endpoint {
  const [, scheme = secure ? "https" : "http", name = "", port = String(defaultPort)] =
    endpointPattern.exec(text) ?? [];
  return {
    secure: scheme === "https",
    host: name.startsWith("[") ? name.slice(1, -1) : name,
    port: Number(port),
    url: `${scheme}://${name}:${port}`,
  };
}

/** The members, of which the one that answered last is asked first. */
export class EndpointList {
  readonly #endpoints: readonly Endpoint[];
  #current = 0;

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints;
  }

  get size(): number {
    return this.#endpoints.length;
  }

  /** The one to ask. */
  get current(): Endpoint {
    const endpoint = this.#endpoints[this.#current];
    if (endpoint === undefined) throw new RangeError("no endpoints");
    return endpoint;
  }

  /** Moves on from an endpoint that failed, unless somebody else has already. */
  leave(failed: Endpoint): void {
    if (this.current === failed) this.#current = (this.#current + 1) % this.size;
  }
}
