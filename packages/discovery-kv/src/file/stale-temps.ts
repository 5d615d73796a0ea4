import { join } from "node:path";
import { type Signature, sameSignature, signatureOf, statusOf } from "./look.ts";
import { removeFile } from "./temp-file.ts";

interface SeenTemp {
  readonly signature: Signature;
  rounds: number;
}

/** Rounds after which an unchanged temporary file is left over from a process that died. */
const staleRounds = 3;

/** Removes temporary files that processes left behind, once they stayed as they are for one TTL. */
export class StaleTemps {
  #seen = new Map<string, SeenTemp>();

  /** To be called each third of the TTL, with all that there are. */
  async sweep(directory: string, names: Iterable<string>): Promise<void> {
    const seen = new Map<string, SeenTemp>();
    for (const name of names) {
      const path = join(directory, name);
      const status = await statusOf(path);
      if (status === undefined) continue;
      const signature = signatureOf(status);
      const known = this.#seen.get(name);
      const rounds = known && sameSignature(known.signature, signature) ? known.rounds + 1 : 0;
      if (rounds < staleRounds) seen.set(name, { signature, rounds });
      else if (status.isFile()) await removeFile(path);
    }
    this.#seen = seen;
  }
}
