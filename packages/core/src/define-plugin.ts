import type { AttributeKey } from "./attribute-map.ts";
import { createPluginContext, type PluginContext } from "./context.ts";
import type { EndpointDiscovery } from "./discovery.ts";
import { MusterError, toMusterError } from "./errors.ts";
import type { AnyExtractor } from "./extractor.ts";
import { type TypedName, typedName } from "./names.ts";
import type { ObjectWatcher } from "./object-watcher.ts";
import type { Plugin } from "./plugin.ts";
import type { DataSource } from "./source.ts";
import { formatIssuePath, type StandardSchema } from "./standard-schema.ts";

/** The version of the plugin contract that this copy of core speaks. */
export const apiVersion = "muster/v1";

const definitionBrand = Symbol.for("muster.plugin-definition");
const instanceBrand = Symbol.for("muster.plugin-instance");

/** What a plugin of each kind is. */
export interface PluginKinds {
  discovery: EndpointDiscovery;
  source: DataSource;
  extractor: AnyExtractor;
  "object-watcher": ObjectWatcher;
  generic: Plugin;
}

const kinds: Readonly<Record<PluginKind, true>> = Object.freeze({
  discovery: true,
  source: true,
  extractor: true,
  "object-watcher": true,
  generic: true,
});

/** One of discovery, source, extractor, object-watcher, generic. */
export type PluginKind = keyof PluginKinds;

/** An attribute a plugin reads. */
export interface ConsumedAttribute {
  readonly key: AttributeKey<unknown>;
  /** Default false: without a producer the runtime does not start. */
  readonly optional?: boolean | undefined;
}

/** What {@link definePlugin} takes. */
export interface PluginInit<Kind extends PluginKind, Instance, Input, Output> {
  readonly kind: Kind;
  /** The name users write in `type:`; kebab-case. */
  readonly type: string;
  /** One sentence for `--help` and docs. */
  readonly description?: string | undefined;
  readonly configSchema: StandardSchema<Input, Output>;
  /** Attributes the plugin writes; writing others is refused and counted. */
  readonly produces?: readonly AttributeKey<unknown>[] | undefined;
  readonly consumes?: readonly ConsumedAttribute[] | undefined;
  /** Makes the instance from checked configuration; does no I/O. */
  create(config: Output, context: PluginContext & { readonly typedName: TypedName }): Instance;
}

/**
 * A frozen, branded plugin definition: data that says what the plugin is, and `create`. Without type
 * arguments, one of any kind, whose configuration is checked when it runs.
 */
export interface PluginDefinition<
  Kind extends PluginKind = PluginKind,
  Instance = PluginKinds[Kind],
  Input = unknown,
> {
  readonly kind: Kind;
  readonly type: string;
  readonly apiVersion: string;
  readonly description: string;
  readonly configSchema: StandardSchema<Input, unknown>;
  readonly produces: readonly AttributeKey<unknown>[];
  readonly consumes: readonly ConsumedAttribute[];
  /**
   * Checks the configuration and makes an instance. No configuration is the same as `{}`, so it may
   * be left out where no key is required; without context, silent defaults.
   *
   * @throws MusterError CONFIG_INVALID with every problem, PLUGIN_CREATE when making it failed.
   */
  create(
    ...args: Record<never, never> extends Input
      ? [config?: Input, context?: Partial<PluginContext>]
      : [config: Input, context?: Partial<PluginContext>]
  ): Instance;
}

/** Defines a plugin. The result is what a plugin package exports as default. */
export function definePlugin<
  Kind extends PluginKind,
  Instance extends PluginKinds[Kind],
  Input,
  Output,
>(init: PluginInit<Kind, Instance, Input, Output>): PluginDefinition<Kind, Instance, Input> {
  if (!/^[a-z][a-z0-9-]*(\/[a-z0-9-]+)?$/.test(init.type))
    throw new MusterError("PLUGIN_INVALID", `plugin type "${init.type}" must be kebab-case`);
  if (!Object.hasOwn(kinds, init.kind))
    throw new MusterError(
      "PLUGIN_INVALID",
      `plugin ${init.type}: kind "${init.kind}" is none of ${Object.keys(kinds).join(", ")}`,
    );
  const definition: PluginDefinition<Kind, Instance, Input> = {
    kind: init.kind,
    type: init.type,
    apiVersion,
    description: init.description ?? "",
    configSchema: init.configSchema,
    produces: Object.freeze([...(init.produces ?? [])]),
    consumes: Object.freeze([...(init.consumes ?? [])]),
    create(config?: Input, given?: Partial<PluginContext>): Instance {
      const context = createPluginContext(given);
      const name = typedName(init.type, context.name ?? init.type);
      return construct(name, () => {
        const checked = checkConfig(init.configSchema, config ?? {}, name);
        const instance = init.create(checked, { ...context, typedName: name });
        return brandInstance(instance, definition, name);
      });
    },
  };
  Object.defineProperty(definition, definitionBrand, { value: true });
  return Object.freeze(definition);
}

/** Whether `value` is a plugin definition of this or another copy of the package. */
export function isPluginDefinition(value: unknown): value is PluginDefinition {
  return typeof value === "object" && value !== null && definitionBrand in value;
}

/** The definition that made an instance; `undefined` for one made by hand. */
export function definitionOf(plugin: Plugin): PluginDefinition | undefined {
  return (plugin as { [instanceBrand]?: PluginDefinition })[instanceBrand];
}

function construct<T>(plugin: TypedName, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw toMusterError(error, "PLUGIN_CREATE", { plugin });
  }
}

/** Remembers on the instance which definition made it; a symbol that other copies of core know. */
function brandInstance<I extends Plugin>(
  instance: I,
  definition: PluginDefinition,
  plugin: TypedName,
): I {
  if (typeof instance?.typedName?.type !== "string" || !Object.isExtensible(instance))
    throw new MusterError(
      "PLUGIN_INVALID",
      `${plugin.type}: create() must return an object that is not frozen and has a typedName`,
      { plugin },
    );
  return Object.defineProperty(instance, instanceBrand, { value: definition });
}

function checkConfig<Output>(
  schema: StandardSchema<unknown, Output>,
  config: unknown,
  plugin: TypedName,
): Output {
  const result = schema["~standard"].validate(config);
  if (result instanceof Promise) {
    // its outcome is nobody's any more
    result.catch(() => undefined);
    throw new MusterError("PLUGIN_INVALID", `${plugin.type}: configSchema must be synchronous`, {
      plugin,
    });
  }
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(
    (issue) =>
      new MusterError("CONFIG_INVALID", issue.message, {
        plugin,
        path: formatIssuePath(issue.path),
      }),
  );
  const text = problems.map((p) => (p.path ? `${p.path}: ${p.message}` : p.message)).join("; ");
  throw new MusterError("CONFIG_INVALID", `${plugin.type}: ${text}`, { plugin, problems });
}
