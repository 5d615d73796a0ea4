/**
 * What can go wrong. These answer or break any request: `hang`, `reset`, `status` (also `401` and
 * `500` for short), `redirect`, `html`, `latency`. These are about the metrics page only:
 * `slow-body`, `truncated`, `huge`, `gzip-bomb`, `nan`, `freeze`, `content-type`. `restart` happens
 * once and at once.
 */
export type FaultKind =
  | "hang"
  | "reset"
  | "status"
  | "redirect"
  | "html"
  | "latency"
  | "slow-body"
  | "truncated"
  | "huge"
  | "gzip-bomb"
  | "nan"
  | "freeze"
  | "content-type"
  | "restart";

/** A fault to switch on, as the admin route and {@link ModelServerSim.setFault} take it. */
export interface FaultInput {
  readonly kind: FaultKind | "401" | "500";
  /** `metrics`, the default, or every route but the admin's. */
  readonly target?: "metrics" | "all" | undefined;
  /** How many requests it lasts for; unset: until it is cleared. */
  readonly count?: number | undefined;
  /** Of `status` (default 500) and `redirect` (default 302). */
  readonly status?: number | undefined;
  /** Of `redirect`: where to. */
  readonly location?: string | undefined;
  /** Of `content-type`. Default `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** Of `huge` and `gzip-bomb`: size after inflating. Default 64 MiB. */
  readonly bytes?: number | undefined;
  /** Of `slow-body`. Default 1,024. */
  readonly bytesPerSecond?: number | undefined;
  /** Of `latency`: delay in ms. Default 1,000. */
  readonly ms?: number | undefined;
}

/** A fault that is on, with its defaults filled in. */
export interface Fault {
  readonly kind: FaultKind;
  readonly target: "metrics" | "all";
  /** Requests still to come; `null`: until it is cleared. */
  readonly count: number | null;
  readonly status?: number;
  readonly location?: string;
  readonly contentType?: string;
  readonly bytes?: number;
  readonly bytesPerSecond?: number;
  readonly ms?: number;
}
