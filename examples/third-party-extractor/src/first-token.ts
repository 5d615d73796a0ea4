import { type AttributeKey, attributeKey } from "@muster/core";

/** How long requests waited for their first token since the poll before; unknown is `null`. */
export interface FirstToken {
  readonly meanSeconds: number | null;
  /** Requests that got their first token since the poll before. */
  readonly requests: number;
}

/** Written by this package's extractor, read by whoever schedules. */
export const firstToken: AttributeKey<FirstToken> = attributeKey("acme/first-token", isFirstToken);

function isFirstToken(value: unknown): value is FirstToken {
  if (typeof value !== "object" || value === null) return false;
  const { meanSeconds, requests } = value as Partial<FirstToken>;
  return (meanSeconds === null || typeof meanSeconds === "number") && typeof requests === "number";
}
