/** What a lease says of its owner. */
export interface LeaseValue {
  /** How long the owner counts as alive after each renewal, ms. */
  readonly ttl: number;
  /** Which of the processes that ever used this id wrote it. */
  readonly session: string;
}

/** A lease as text: JSON, so that a person can read it. */
export function writeLease({ ttl, session }: LeaseValue): string {
  return JSON.stringify({ ttl, session });
}

/** Reads a lease; undefined for what is none. */
export function readLease(text: string): LeaseValue | undefined {
  try {
    const { ttl, session } = JSON.parse(text) as Partial<Record<keyof LeaseValue, unknown>>;
    if (typeof ttl !== "number" || !(ttl >= 100 && ttl <= 86_400_000)) return undefined;
    return { ttl, session: typeof session === "string" ? session : "" };
  } catch {
    // somebody else's
    return undefined;
  }
}
