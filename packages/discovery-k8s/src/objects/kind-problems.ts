import type { Logger, MusterError } from "@muster/core";
import type { KindReader } from "./kind-reader.ts";

/** Why a kind is not followed, in all or in part; tells the readers, and the log once for each state. */
export class KindProblems {
  readonly #kind: string;
  readonly #logger: Logger;
  readonly #readers: ReadonlySet<KindReader>;
  /** By namespace; "" for the kind itself. */
  readonly #problems = new Map<string, MusterError>();
  /** What the readers were told last. */
  #told: MusterError | undefined;

  constructor(kind: string, logger: Logger, readers: ReadonlySet<KindReader>) {
    this.#kind = kind;
    this.#logger = logger;
    this.#readers = readers;
  }

  /** Tells one that has come. */
  greet(reader: KindReader): void {
    if (this.#told !== undefined) this.#tellOne(reader);
  }

  /** The kind cannot be looked for, or is not there. */
  unknown(problem: MusterError): void {
    const repeated = this.#problems.get("")?.code === problem.code;
    this.#problems.clear();
    this.#problems.set("", problem);
    const fields = { kind: this.#kind, code: problem.code, error: problem.message };
    if (repeated) this.#logger.debug(fields, "the Kubernetes kind still cannot be followed");
    else this.#logger.warn(fields, "the Kubernetes kind cannot be followed; trying again");
    this.#tell();
  }

  /** The kind is there and cannot be followed in one namespace, which the reflector logs. */
  interrupted(scope: string, problem: MusterError): void {
    this.#problems.delete("");
    this.#problems.set(scope, problem);
    this.#tell();
  }

  /** One namespace is followed, so the kind is there. */
  followed(scope: string): void {
    this.#problems.delete("");
    this.#problems.delete(scope);
    this.#tell();
  }

  #tell(): void {
    const first = this.#problems.values().next().value;
    if (first?.code === this.#told?.code && first?.message === this.#told?.message) return;
    this.#told = first;
    for (const reader of this.#readers) this.#tellOne(reader);
  }

  #tellOne(reader: KindReader): void {
    const failure = reader.tell(this.#told);
    if (failure !== undefined)
      this.#logger.error(
        { kind: this.#kind, error: failure.message },
        "a reader failed when told of an interruption",
      );
  }
}
