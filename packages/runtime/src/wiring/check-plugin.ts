import {
  type AnyExtractor,
  type DataSource,
  equalGroupVersionKind,
  equalPayloadTokens,
  formatGroupVersionKind,
  formatTypedName,
  isPluginDefinition,
  MusterError,
  type Plugin,
} from "@muster/core";

/** The methods that make a source of each variant, as the seed tells them apart. */
const sourceMethods = {
  polling: ["dispatch", "appendExtractor"],
  notification: ["notify"],
  endpoint: ["notifyEndpoint"],
} as const;

type Variant = keyof typeof sourceMethods;
const variants = Object.keys(sourceMethods) as Variant[];

/** PLUGIN_INVALID unless `value` is an object with a typed name and the given methods. */
export function checkPlugin(
  value: unknown,
  role: string,
  methods: readonly string[],
): MusterError | undefined {
  const plugin = value as Plugin | undefined;
  if (isPluginDefinition(value))
    return invalid(`${role} "${value.type}" is a definition: pass what its create() returns`);
  if (typeof plugin?.typedName?.type !== "string" || typeof plugin.typedName.name !== "string")
    return invalid(`${role} without a typedName {type, name}`);
  const missing = methods.filter((method) => !hasMethod(plugin, method));
  if (missing.length === 0) return undefined;
  return invalid(
    `${role} ${formatTypedName(plugin.typedName)} has no ${missing.join("() and ")}()`,
  );
}

/** Whether a source is of exactly one known variant, and has what belongs to it. */
export function checkSource(source: DataSource): MusterError | undefined {
  const problem = checkPlugin(source, "source", []);
  if (problem !== undefined) return problem;
  const plugin = source.typedName;
  const name = formatTypedName(plugin);
  const wrong = (text: string): MusterError =>
    new MusterError("SOURCE_VARIANT", `source ${name} ${text}`, { plugin });
  if (!variants.includes(source.variant))
    return wrong(`has the unknown variant "${String(source.variant)}": use ${variants.join(", ")}`);
  const claims = variants.filter(
    (variant) =>
      variant === source.variant || sourceMethods[variant].every((m) => hasMethod(source, m)),
  );
  if (claims.length > 1) return wrong(`claims several variants: ${claims.join(" and ")}`);
  const missing = sourceMethods[source.variant].filter((method) => !hasMethod(source, method));
  if (missing.length > 0)
    return wrong(`has the variant ${source.variant} and no ${missing.join("() and ")}()`);
  if (source.variant === "polling" && typeof source.payload?.name !== "string")
    return wrong("is a polling source without a payload token");
  if (source.variant === "polling" && !Array.isArray(source.extractors))
    return wrong("is a polling source without a list of extractors");
  if (source.variant === "notification" && typeof source.gvk?.kind !== "string")
    return wrong("is a notification source without a group, version and kind");
  return undefined;
}

/** Whether an extractor is one, of a known variant. */
export function checkExtractor(extractor: AnyExtractor): MusterError | undefined {
  const problem = checkPlugin(extractor, "extractor", ["extract"]);
  if (problem !== undefined) return problem;
  const plugin = extractor.typedName;
  const name = formatTypedName(plugin);
  const wrong = (text: string): MusterError =>
    new MusterError("PLUGIN_INVALID", `extractor ${name} ${text}`, { plugin });
  if (!variants.includes(extractor.variant))
    return wrong(
      `has the unknown variant "${String(extractor.variant)}": use ${variants.join(", ")}`,
    );
  if (extractor.variant === "polling" && typeof extractor.payload?.name !== "string")
    return wrong("is a polling extractor without a payload token");
  if (extractor.variant === "notification" && typeof extractor.gvk?.kind !== "string")
    return wrong("is a notification extractor without a group, version and kind");
  return undefined;
}

/** EXTRACTOR_INCOMPATIBLE unless the extractor takes what the source gives. Both must be valid. */
export function checkFit(source: DataSource, extractor: AnyExtractor): MusterError | undefined {
  if (fits(source, extractor)) return undefined;
  const plugin = extractor.typedName;
  return new MusterError(
    "EXTRACTOR_INCOMPATIBLE",
    `extractor ${formatTypedName(plugin)} takes ${describeFeed(extractor)}, ` +
      `source ${formatTypedName(source.typedName)} gives ${describeFeed(source)}`,
    { plugin },
  );
}

function fits(source: DataSource, extractor: AnyExtractor): boolean {
  if (source.variant === "polling")
    return extractor.variant === "polling" && equalPayloadTokens(source.payload, extractor.payload);
  if (source.variant === "notification")
    return extractor.variant === "notification" && equalGroupVersionKind(source.gvk, extractor.gvk);
  return extractor.variant === "endpoint";
}

function describeFeed(of: DataSource | AnyExtractor): string {
  if (of.variant === "polling") return `the payload "${of.payload.name}"`;
  if (of.variant === "notification") return `changes of ${formatGroupVersionKind(of.gvk)}`;
  return "endpoint events";
}

function hasMethod(value: object, name: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
}

function invalid(message: string): MusterError {
  return new MusterError("PLUGIN_INVALID", message);
}
