/** A new epoch: unlike that of any other process, so that a revision is never resumed elsewhere. */
export function createEpoch(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 12);
}

/** `<epoch>-<n>`. */
export function formatRevision(epoch: string, n: number): string {
  return `${epoch}-${n}`;
}

/** The number in a revision of this epoch; `undefined` for anything else. */
export function parseRevision(epoch: string, revision: string): number | undefined {
  const digits = revision.startsWith(`${epoch}-`) ? revision.slice(epoch.length + 1) : "";
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits)) return undefined;
  const n = Number(digits);
  return Number.isSafeInteger(n) ? n : undefined;
}
