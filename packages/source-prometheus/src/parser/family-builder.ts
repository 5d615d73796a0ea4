import type { MetricFamily, MetricType, Sample } from "@muster/core/prometheus";
import type { Labels } from "./label-set.ts";
import { limitError, type ParseLimits } from "./limits.ts";
import { splitSuffix } from "./metric-names.ts";

/** What a page says of one name, in whatever order it says it. */
interface NameRecord {
  readonly name: string;
  /** Whether a HELP, TYPE or UNIT line names it. */
  declared: boolean;
  type: MetricType | undefined;
  help: string | undefined;
  unit: string | undefined;
}

interface OpenFamily extends MetricFamily {
  readonly samples: Sample[];
}

/**
 * Collects lines and puts them together once the page has been read: metadata may come twice (the first
 * wins) or after its samples, and a family may be scattered over the page.
 */
export class FamilyBuilder {
  readonly #limits: ParseLimits;
  readonly #records = new Map<string, NameRecord>();
  readonly #samples: Sample[] = [];

  constructor(limits: ParseLimits) {
    this.#limits = limits;
  }

  type(name: string, type: MetricType): void {
    const record = this.#declare(name);
    record.type ??= type;
  }

  help(name: string, help: string): void {
    const record = this.#declare(name);
    record.help ??= help;
  }

  unit(name: string, unit: string): void {
    const record = this.#declare(name);
    record.unit ??= unit;
  }

  sample(name: string, labels: Labels, value: number, timestamp: number | undefined): void {
    this.#record(name);
    this.#samples.push({ name, labels, value, timestamp });
    if (this.#samples.length > this.#limits.maxSamples)
      throw limitError("maxSamples", this.#limits.maxSamples);
  }

  /** All families, ordered by the first line that belongs to each. */
  build(): Map<string, MetricFamily> {
    const families = new Map<string, OpenFamily>();
    const byName = new Map<string, OpenFamily>();
    for (const record of this.#records.values()) {
      const owner = this.#ownerOf(record);
      let family = families.get(owner.name);
      if (family === undefined) {
        family = openFamily(owner);
        families.set(owner.name, family);
      }
      byName.set(record.name, family);
    }
    for (const sample of this.#samples) byName.get(sample.name)?.samples.push(sample);
    return families;
  }

  /** A name that is declared, or fits no family declared with its base name, is a family itself. */
  #ownerOf(record: NameRecord): NameRecord {
    if (record.declared) return record;
    const split = splitSuffix(record.name);
    const owner = split && this.#records.get(split.base);
    return owner?.type !== undefined && split?.types.includes(owner.type) ? owner : record;
  }

  #declare(name: string): NameRecord {
    const record = this.#record(name);
    record.declared = true;
    return record;
  }

  #record(name: string): NameRecord {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    if (this.#records.size >= this.#limits.maxNames)
      throw limitError("maxNames", this.#limits.maxNames);
    const record: NameRecord = {
      name,
      declared: false,
      type: undefined,
      help: undefined,
      unit: undefined,
    };
    this.#records.set(name, record);
    return record;
  }
}

function openFamily(record: NameRecord): OpenFamily {
  const { name, type = "unknown", help = "", unit = "" } = record;
  return { name, type, help, unit, samples: [] };
}
