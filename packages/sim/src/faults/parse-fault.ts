import { type Checker, createChecker, isPlainText } from "../checker.ts";
import type { Fault, FaultInput, FaultKind } from "./fault.ts";

const anyRoute = ["hang", "reset", "status", "redirect", "html", "latency"] as const;
const pageOnly = [
  "slow-body",
  "truncated",
  "huge",
  "gzip-bomb",
  "nan",
  "freeze",
  "content-type",
] as const;
const shorthand: Readonly<Record<string, number>> = { "401": 401, "500": 500 };

type Parameters = Partial<Record<keyof FaultInput, unknown>>;

/** Which parameters a kind has beside `count` and, for those of any route, `target`. */
const parameters: { readonly [Kind in FaultKind]?: readonly (keyof FaultInput)[] } = {
  status: ["status"],
  redirect: ["status", "location"],
  latency: ["ms"],
  "slow-body": ["bytesPerSecond"],
  huge: ["bytes"],
  "gzip-bomb": ["bytes"],
  "content-type": ["contentType"],
};

/**
 * Checks a fault that came from outside.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function parseFault(given: unknown): Fault {
  const check = createChecker("fault");
  if (typeof given !== "object" || given === null || Array.isArray(given))
    check.problem("value", 'must be an object such as {kind: "hang"}');
  const input: Parameters = Object.assign(Object.create(null), given);
  const short = typeof input.kind === "string" ? shorthand[input.kind] : undefined;
  const kinds: readonly FaultKind[] = [...anyRoute, ...pageOnly, "restart"];
  if (input.kind === undefined)
    check.problem("kind", `is missing; it is one of ${kinds.join(", ")}`);
  const kind = short === undefined ? check.oneOf("kind", input.kind, kinds) : "status";
  const own = short === undefined ? (parameters[kind] ?? []) : [];
  check.keys(input, ["kind", "count", "target", ...own]);
  const target = check.oneOf("target", input.target, ["metrics", "all"]);
  if (target === "all" && !anyRoute.some((one) => one === kind))
    check.problem("target", `cannot be "all" for ${kind}, which is about the metrics page`);
  const fault: Fault = {
    kind,
    target,
    count:
      input.count === undefined
        ? null
        : check.integer("count", input.count, 1, { min: 1, max: 1e9 }),
    ...kindParameters(check, kind, { ...input, status: short ?? input.status }),
  };
  check.done();
  return Object.freeze(fault);
}

function kindParameters(check: Checker, kind: FaultKind, input: Parameters): Partial<Fault> {
  const size = { min: 1, max: 4 * 2 ** 30 };
  switch (kind) {
    case "status":
      return { status: check.integer("status", input.status, 500, { min: 400, max: 599 }) };
    case "redirect":
      return {
        status: check.integer("status", input.status, 302, { min: 300, max: 308 }),
        location: headerValue(check, "location", input.location),
      };
    case "latency":
      return { ms: check.number("ms", input.ms, 1000, { min: 0, max: 3_600_000 }) };
    case "slow-body":
      return { bytesPerSecond: check.integer("bytesPerSecond", input.bytesPerSecond, 1024, size) };
    case "huge":
    case "gzip-bomb":
      return { bytes: check.integer("bytes", input.bytes, 64 * 2 ** 20, size) };
    case "content-type":
      return {
        contentType: headerValue(
          check,
          "contentType",
          input.contentType ?? "application/octet-stream",
        ),
      };
    default:
      return {};
  }
}

function headerValue(check: Checker, name: string, value: unknown): string {
  if (typeof value === "string" && isPlainText(value, 2048) && /^[\x20-\x7e]+$/.test(value))
    return value;
  check.problem(name, "must be a text of 1 to 2048 printable ASCII characters");
  return "";
}
