/** The API's JSON as these tests read it. */
export interface ShownEndpoint {
  readonly id: string;
  readonly owner: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly freshness: Readonly<Record<string, unknown>>;
}

/** The list, one endpoint, a problem or a change: whatever was asked for. */
export interface Shown extends ShownEndpoint {
  readonly revision: string;
  readonly reason: string;
  readonly endpoints: readonly ShownEndpoint[];
  readonly endpoint: ShownEndpoint;
}
