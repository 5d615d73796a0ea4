import {
  type DataSource,
  formatTypedName,
  MusterError,
  messageOf,
  type PendingRegistration,
  type PluginDefinition,
  type SourceReference,
  toMusterError,
} from "@muster/core";
import type { PluginHost } from "../registry/plugin-host.ts";
import type { PluginRegistry } from "../registry/plugin-registry.ts";
import { describeUnknownType } from "../registry/unknown-type.ts";
import { checkFit, checkSource } from "./check-plugin.ts";
import type { PlannedSource, SourceFilter, SourcePlan } from "./plan.ts";
import { isSourceInstance, type RegistrationQueue } from "./registrations.ts";
import type { ResolvedRegistration } from "./wiring.ts";

/** What registrations are resolved against, and where the outcome goes. */
export interface RegistrationResolverOptions {
  readonly plan: SourcePlan;
  readonly queue: RegistrationQueue;
  readonly problems: MusterError[];
  readonly warnings: string[];
  readonly registry: PluginRegistry | undefined;
  readonly host: PluginHost;
}

type Resolution = Pick<ResolvedRegistration, "outcome"> & { readonly source?: DataSource };

const failed: Resolution = Object.freeze({ outcome: "failed" });

/** Resolves registrations in the order in which they were made. */
export class RegistrationResolver {
  readonly #options: RegistrationResolverOptions;

  constructor(options: RegistrationResolverOptions) {
    this.#options = options;
  }

  /** Resolves all, those included that plugins make which come in on the way. */
  resolveAll(): ResolvedRegistration[] {
    const resolved: ResolvedRegistration[] = [];
    // the queue grows inside the loop
    for (const registration of this.#options.queue.accepted) {
      const { outcome, source } = this.#resolve(registration);
      const { owner, sourceType, extractor } = registration;
      resolved.push({
        owner,
        extractor: extractor.typedName,
        sourceType,
        outcome,
        ...(source && { source: source.typedName }),
      });
    }
    return resolved;
  }

  #resolve(registration: PendingRegistration): Resolution {
    const { sourceType, extractor } = registration;
    const ofType = this.#options.plan.ofType(sourceType, filterOf(registration));
    const fitting = ofType.filter(({ source }) => checkFit(source, extractor) === undefined);
    const found = fitting.length > 0 ? fitting : ofType;
    const taken = found.find((planned) => boundOfType(planned, extractor.typedName.type));
    if (taken !== undefined) return this.#yield(registration, taken);
    const [first, ...others] = found;
    if (first === undefined) return this.#bringDefault(registration);
    if (others.length > 0)
      this.#warn(
        registration,
        `goes to ${formatTypedName(first.source.typedName)}, the first of ${found.length} sources of its type`,
      );
    return this.#bind(registration, first);
  }

  #yield({ owner, extractor }: PendingRegistration, taken: PlannedSource): Resolution {
    const bound = boundOfType(taken, extractor.typedName.type);
    if (bound?.origin === "registered" && bound.extractor !== extractor)
      this.#options.warnings.push(
        `extractor ${formatTypedName(extractor.typedName)} of ${formatTypedName(owner)} is not used: ` +
          `${formatTypedName(bound.owner)} registered one of the same type before`,
      );
    return { outcome: "yielded", source: taken.source };
  }

  #bind(registration: PendingRegistration, planned: PlannedSource): Resolution {
    const { owner, extractor } = registration;
    const problem = checkFit(planned.source, extractor);
    if (problem !== undefined) {
      const text = `${problem.message} (registered by ${formatTypedName(owner)})`;
      return this.#fail(new MusterError(problem.code, text, { plugin: owner }));
    }
    planned.extractors.push({ extractor, origin: "registered", owner });
    this.#options.queue.ask(extractor);
    return { outcome: "bound", source: planned.source };
  }

  #bringDefault(registration: PendingRegistration): Resolution {
    const { plan, queue } = this.#options;
    const { sourceType, defaultSource, owner } = registration;
    if (plan.isRefused(sourceType)) return failed;
    if (defaultSource === undefined) return this.#missing(registration);
    const source = isSourceInstance(defaultSource)
      ? defaultSource
      : this.#create(defaultSource, registration);
    const broken = source && checkSource(source);
    if (broken !== undefined) this.#fail(broken);
    if (source === undefined || broken !== undefined) {
      plan.refuse(sourceType);
      return failed;
    }
    // a misfit must leave no source behind
    if (checkFit(source, registration.extractor) !== undefined)
      return this.#bind(registration, { source, origin: "default", owner, extractors: [] });
    const planned = plan.addDefault(source, owner);
    if (planned === undefined) return failed;
    queue.ask(source);
    return this.#bind(registration, planned);
  }

  #missing(registration: PendingRegistration): Resolution {
    const { owner, extractor, sourceType, ifMissing } = registration;
    const text =
      `extractor ${formatTypedName(extractor.typedName)} of ${formatTypedName(owner)} requires ` +
      `source type "${sourceType}", which is not configured`;
    if (ifMissing === "warn") {
      this.#options.warnings.push(`${text}; it is skipped`);
      return { outcome: "skipped" };
    }
    return this.#fail(
      new MusterError("SOURCE_MISSING", `${text}; add a source of that type`, { plugin: owner }),
    );
  }

  #create(
    reference: SourceReference,
    { owner, extractor }: PendingRegistration,
  ): DataSource | undefined {
    const { registry, host } = this.#options;
    const { type } = reference;
    const needed =
      `the default source "${type}" that ${formatTypedName(owner)} needs for ` +
      `${formatTypedName(extractor.typedName)} cannot be made`;
    const definition = registry?.get(type);
    if (definition === undefined || !isSourceDefinition(definition)) {
      const why =
        definition === undefined
          ? describeUnknownType(type, registry)
          : `"${type}" is a plugin of kind ${definition.kind}`;
      const code = definition === undefined ? "PLUGIN_UNKNOWN" : "PLUGIN_INVALID";
      this.#fail(new MusterError(code, `${needed}: ${why}`, { plugin: owner }));
      return undefined;
    }
    try {
      const name = reference.name ?? this.#freeName(type);
      return host.create({ definition, name, config: reference.config });
    } catch (error) {
      const { code } = toMusterError(error, "PLUGIN_CREATE");
      const text = `${needed}: ${messageOf(error)}`;
      this.#fail(new MusterError(code, text, { plugin: owner, cause: error }));
      return undefined;
    }
  }

  /** One type may have a default source for each kind it watches: `type`, `type-2`, ... */
  #freeName(type: string): string {
    const taken = new Set(this.#options.plan.ofType(type).map((p) => p.source.typedName.name));
    for (let n = 1; ; n++) {
      const name = n === 1 ? type : `${type}-${n}`;
      if (!taken.has(name)) return name;
    }
  }

  #warn({ owner, extractor }: PendingRegistration, text: string): void {
    this.#options.warnings.push(
      `extractor ${formatTypedName(extractor.typedName)} of ${formatTypedName(owner)} ${text}`,
    );
  }

  #fail(problem: MusterError): Resolution {
    this.#options.problems.push(problem);
    return failed;
  }
}

/**
 * Sources of the type; for a default source that watches a Kubernetes kind, those of that kind. The
 * kind a `{type, config}` would watch is the extractor's: no other would fit.
 */
function filterOf({ defaultSource, extractor }: PendingRegistration): SourceFilter {
  if (defaultSource === undefined) return {};
  if (isSourceInstance(defaultSource)) {
    const { variant } = defaultSource;
    return { variant, gvk: variant === "notification" ? defaultSource.gvk : undefined };
  }
  return { gvk: extractor.variant === "notification" ? extractor.gvk : undefined };
}

function boundOfType(
  planned: PlannedSource,
  type: string,
): PlannedSource["extractors"][number] | undefined {
  return planned.extractors.find(({ extractor }) => extractor.typedName.type === type);
}

function isSourceDefinition(
  definition: PluginDefinition,
): definition is PluginDefinition<"source"> {
  return definition.kind === "source";
}
