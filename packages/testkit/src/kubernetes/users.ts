import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ApiUser } from "./rbac.ts";
import { StatusError } from "./status.ts";

/** Who may talk to the server. */
export class Users {
  readonly #tokens = new Map<string, ApiUser>();
  #certificates = false;
  #open = true;

  /** Lets a bearer token in; from the first on, nobody gets in without. */
  addToken(token: string, user: ApiUser): void {
    this.#open = false;
    this.#tokens.set(token, user);
  }

  removeToken(token: string): void {
    this.#tokens.delete(token);
  }

  /** Lets everybody in whose client certificate is signed by the authority of the listener. */
  acceptCertificates(): void {
    this.#open = false;
    this.#certificates = true;
  }

  /** @throws StatusError 401 */
  identify(request: IncomingMessage): ApiUser {
    if (this.#open) return { name: "system:anonymous", groups: [], admin: true };
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const user = token === undefined ? undefined : this.#tokens.get(token);
    if (user) return user;
    const socket = request.socket as Partial<TLSSocket>;
    if (this.#certificates && socket.authorized)
      return {
        name: String(socket.getPeerCertificate?.().subject?.CN ?? "client"),
        groups: ["system:authenticated", "system:masters"],
        admin: true,
      };
    throw new StatusError(401, "Unauthorized", "Unauthorized");
  }
}
