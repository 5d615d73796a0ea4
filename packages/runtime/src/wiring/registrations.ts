import {
  type DataSource,
  formatTypedName,
  isRegistrant,
  MusterError,
  messageOf,
  type PendingRegistration,
  type Plugin,
  type SourceReference,
} from "@muster/core";
import { checkExtractor } from "./check-plugin.ts";

/** More registrations than any real fleet has: a registrant that never ends is stopped there. */
const maxRegistrations = 10_000;

/** Asks plugins for their dependencies, each once, and keeps what they register in order. */
export class RegistrationQueue {
  /** Valid registrations; grows while plugins that came by registration are asked in turn. */
  readonly accepted: PendingRegistration[] = [];
  /** Registrations made, valid or not. */
  made = 0;
  readonly #asked = new Set<Plugin>();
  readonly #problems: MusterError[];

  constructor(problems: MusterError[]) {
    this.#problems = problems;
  }

  ask(plugin: Plugin): void {
    if (this.#asked.has(plugin) || !isRegistrant(plugin)) return;
    this.#asked.add(plugin);
    try {
      plugin.registerDependencies({ register: (given) => this.#register(given, plugin) });
    } catch (error) {
      this.#report(plugin, `failed to register its dependencies: ${messageOf(error)}`, error);
    }
  }

  #register(given: PendingRegistration, plugin: Plugin): void {
    this.made += 1;
    if (this.made > maxRegistrations) {
      if (this.made === maxRegistrations + 1)
        this.#report(plugin, `makes more than ${maxRegistrations} registrations`);
      return;
    }
    const wrong = describeProblem(given);
    if (wrong !== undefined) this.#report(plugin, wrong);
    else this.accepted.push({ ...given, owner: given.owner ?? plugin.typedName });
  }

  #report(plugin: Plugin, text: string, cause?: unknown): void {
    this.#problems.push(
      new MusterError("REGISTRATION_INVALID", `${formatTypedName(plugin.typedName)} ${text}`, {
        plugin: plugin.typedName,
        cause,
      }),
    );
  }
}

/** Whether a default source is an instance rather than a `{type, config}`. */
export function isSourceInstance(source: DataSource | SourceReference): source is DataSource {
  return "typedName" in source;
}

/** What plugins written without types may get wrong. */
function describeProblem(given: PendingRegistration): string | undefined {
  if (typeof given !== "object" || given === null) return "registers something that is no object";
  const { sourceType, extractor, ifMissing, defaultSource } = given;
  if (typeof sourceType !== "string" || sourceType === "")
    return "registers a dependency without a sourceType";
  if (extractor === undefined || extractor === null)
    return `registers a dependency on "${sourceType}" without an extractor`;
  if (ifMissing !== undefined && ifMissing !== "fail" && ifMissing !== "warn")
    return `registers ifMissing "${String(ifMissing)}" for "${sourceType}": use fail or warn`;
  const problem = checkExtractor(extractor);
  if (problem !== undefined) return `registers an ${problem.message}`;
  if (defaultSource === undefined) return undefined;
  if (typeof defaultSource !== "object" || defaultSource === null)
    return `registers a default source for "${sourceType}" that is neither a source nor {type, config}`;
  const type = isSourceInstance(defaultSource) ? defaultSource.typedName?.type : defaultSource.type;
  if (type === sourceType) return undefined;
  return `registers a default source of type "${String(type)}" for "${sourceType}"`;
}
