import type { PendingRegistration } from "@muster/core";
import { resolveWiring } from "../../src/wiring/resolve-wiring.ts";
import type { Wiring, WiringInput } from "../../src/wiring/wiring.ts";
import { objectWatcher, registrant } from "./plugins.ts";

/** One plugin per registration, each the owner of its own. */
export function resolveRegistrations(
  registrations: Partial<PendingRegistration>[],
  input: WiringInput = {},
): {
  wiring: Wiring;
  problems: string[];
  outcomes: string[];
} {
  const owners = registrations.map((one, index) => registrant(`owner/${index + 1}`, one));
  const { wiring, problems } = resolveWiring({ ...input, plugins: [objectWatcher(), ...owners] });
  return {
    wiring,
    problems: problems.map(({ code, message }) => `${code}: ${message}`),
    outcomes: wiring.registrations.map(({ outcome }) => outcome),
  };
}

/** `source <- extractor, extractor` per source. */
export function shownSources(wiring: Wiring): string[] {
  return wiring.sources.map(({ source, extractors }) => {
    const names = extractors.map(({ extractor }) => extractor.typedName.name);
    return `${source.typedName.name} <- ${names.join(", ")}`;
  });
}
