import { MusterError } from "@muster/core";
import {
  classifyDiscoveryChange,
  type Discovery,
  type DiscoveryInstance,
  EndpointInstance,
  ModelInstance,
  parseJson,
  RawJson,
  withInstanceId,
  withTaints,
} from "@muster/core/plane";
import { describeDiscoveryPlane } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { Worker, workerHarness } from "./examples/worker.ts";

describeDiscoveryPlane({ describe, it }, workerHarness(Worker));

class ForgetsToWrite extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    if (spec.type !== "EventSource") return this.inner.register(spec, options);
    return withInstanceId(spec, this.instanceId);
  };
}

class DropsOptionalFields extends Worker {
  override list: Discovery["list"] = async (...args) => {
    const listed = await this.inner.list(...args);
    return listed.map((each) =>
      each.type === "Endpoint" ? new EndpointInstance({ ...each, deviceType: undefined }) : each,
    );
  };
}

class ParsesCards extends Worker {
  override register: Discovery["register"] = (spec, options) => {
    if (spec.type !== "Model") return this.inner.register(spec, options);
    const card = JSON.parse(spec.cardJson.text) as unknown;
    return this.inner.register({ ...spec, cardJson: RawJson.of(card) }, options);
  };
}

class RoundsIds extends Worker {
  override list: Discovery["list"] = async (...args) => {
    const listed = await this.inner.list(...args);
    return listed.map((each) => rounded(each));
  };
}

function rounded(instance: DiscoveryInstance): DiscoveryInstance {
  const instanceId = BigInt(Number(instance.instanceId));
  if (instance.type !== "Endpoint" || instanceId >= 2n ** 64n) return instance;
  return new EndpointInstance({ ...instance, instanceId });
}

class AddsTwice extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    const instance = await this.inner.register(spec, options);
    this.registry.remove(instance.id());
    this.registry.put(instance);
    return instance;
  };
}

class GivesWhatWasAsked extends Worker {
  readonly #written = new Map<string, DiscoveryInstance>();

  override register: Discovery["register"] = async (spec, options) => {
    const instance = withInstanceId(spec, this.instanceId);
    const present = this.registry.instances.get(instance.id().key);
    if (present && this.#written.has(instance.id().key)) return instance;
    this.#written.set(instance.id().key, instance);
    return this.inner.register(spec, options);
  };
}

class OverwritesCards extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    const instance = withInstanceId(spec, this.instanceId);
    const present = this.registry.instances.get(instance.id().key);
    if (present && classifyDiscoveryChange(present, instance).type === "Rejected")
      await this.inner.unregister(present);
    return this.inner.register(spec, options);
  };
}

class TakesAnyName extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    const name = spec.type === "Endpoint" && spec.namespace === "" ? "-" : undefined;
    return this.inner.register(
      name ? ({ ...spec, namespace: name } as typeof spec) : spec,
      options,
    );
  };
}

class WorksForNobody extends Worker {
  override list: Discovery["list"] = (query) => this.inner.list(query);
}

class UnregistersOnce extends Worker {
  override unregister: Discovery["unregister"] = async (instance, options) => {
    const { key } = "id" in instance ? instance.id() : instance;
    if (!this.registry.instances.has(key)) throw new MusterError("NOT_FOUND", "missing key");
    await this.inner.unregister(instance, options);
  };
}

class UnregistersOwnOnly extends Worker {
  override unregister: Discovery["unregister"] = async (instance, options) => {
    if (instance.type !== "Endpoint" || instance.instanceId === this.instanceId)
      await this.inner.unregister(instance, options);
  };
}

/** As the mock of the original's first version did. */
class UnregistersByNumber extends Worker {
  override unregister: Discovery["unregister"] = async (instance, options) => {
    await this.inner.unregister(instance, options);
    for (const each of [...this.registry.instances.values()])
      if (each.type === "Model" && each.instanceId === instance.instanceId)
        this.registry.remove(each.id());
  };
}

class ComparesPrefixes extends Worker {
  override list: Discovery["list"] = async (query, options) => {
    if (query.type !== "NamespacedEndpoints") return this.inner.list(query, options);
    const all = await this.inner.list({ type: "AllEndpoints" }, options);
    return all.filter((each) => each.id().toPath().startsWith(query.namespace));
  };
}

class WidensScopes extends Worker {
  override list: Discovery["list"] = async (query, options) => {
    if (query.type !== "EventChannels" || query.scope?.kind !== "namespace")
      return this.inner.list(query, options);
    const all = await this.inner.list({ type: "EventChannels", topic: query.topic }, options);
    const path = `namespace/${query.scope.name}/`;
    return all.filter((each) => each.id().toPath().startsWith(path));
  };
}

class IgnoresAdapters extends Worker {
  override list: Discovery["list"] = async (...args) => {
    const listed = await this.inner.list(...args);
    return listed.filter((each) => each.type !== "Model" || each.modelSuffix === undefined);
  };
}

class ChecksNoConflict extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    if (spec.type !== "Model") return this.inner.register(spec, options);
    const instance = withInstanceId(spec, this.instanceId);
    const { key } = instance.id();
    if (spec.cardJson.value === null || this.registry.instances.has(key))
      return this.inner.register(spec, options);
    this.registry.put(instance);
    return instance;
  };
}

class RefusesAdapters extends Worker {
  override register: Discovery["register"] = async (spec, options) => {
    if (spec.type === "Model" && spec.modelSuffix !== undefined)
      throw new MusterError("PLANE_CONFLICT", "no adapters here");
    return this.inner.register(spec, options);
  };
}

class LosesTheCard extends Worker {
  override updateModelTaints: Discovery["updateModelTaints"] = async (id, taints, options) => {
    const updated = await this.inner.updateModelTaints(id, taints, options);
    if (updated.type !== "Model") return updated;
    const { display_name } = parseJson(updated.cardJson.text) as { display_name: string };
    const cardJson = RawJson.of({ display_name, runtime_config: { taints: [...taints] } });
    const lost = new ModelInstance({ ...updated, cardJson });
    this.registry.put(lost);
    return lost;
  };
}

class TaintsAnybody extends Worker {
  override updateModelTaints: Discovery["updateModelTaints"] = async (id, taints, options) => {
    const present = this.registry.instances.get(id.key);
    if (id.instanceId === this.instanceId || present?.type !== "Model")
      return this.inner.updateModelTaints(id, taints, options);
    this.registry.put(withTaints(present, taints));
    return present;
  };
}

const fields = "keeps every field of a record";
const places = "finds endpoints by namespace, component and endpoint, names compared whole";

describe("the discovery plane suite fails a plane that", () => {
  it.each([
    [
      "writes nothing",
      ForgetsToWrite,
      "registers every kind of record under its id, as others list it",
    ],
    ["loses fields", DropsOptionalFields, fields],
    [
      "loses digits of cards",
      ParsesCards,
      "keeps a card to the character where it can, its numbers always",
    ],
    ["loses digits of ids", RoundsIds, "carries ids of 64 bits to the last digit"],
    ["adds again", AddsTwice, "changes nothing when the same is registered again"],
    [
      "says what it was asked",
      GivesWhatWasAsked,
      "keeps or replaces an endpoint and a channel that are registered again",
    ],
    ["changes cards", OverwritesCards, "refuses another card or source under an id that is taken"],
    [
      "takes any name",
      TakesAnyName,
      "refuses names that cannot be part of a key, and registers nothing",
    ],
    ["works for a caller that left", WorksForNobody, "does nothing for a caller that has left"],
    ["unregisters once", UnregistersOnce, "takes no offence at a record that is not there"],
    ["unregisters its own only", UnregistersOwnOnly, "takes away what another worker registered"],
    [
      "unregisters by instance",
      UnregistersByNumber,
      "takes an adapter away and leaves its base model, and the other way round",
    ],
    ["compares names as prefixes", ComparesPrefixes, places],
    ["widens scopes", WidensScopes, "finds event channels and sources by exact scope and topic"],
    ["hides adapters", IgnoresAdapters, "finds models and their adapters likewise"],
    ["checks no conflict", ChecksNoConflict, "refuses bases of different names"],
    [
      "checks no conflict of aliases",
      ChecksNoConflict,
      "refuses bases of one path with an alias in common",
    ],
    [
      "checks no race",
      ChecksNoConflict,
      "never keeps both of two models that do not fit, whoever is faster",
    ],
    ["refuses adapters", RefusesAdapters, "takes a base and an adapter of its path"],
    [
      "loses the card with the taints",
      LosesTheCard,
      "replaces the taints of a model, sorted, and nothing else of it",
    ],
    [
      "taints others' models",
      TaintsAnybody,
      "refuses taints of others, of adapters, of the topology, and of nothing",
    ],
  ])("%s", async (_what, Broken, test) => {
    const failures = await failuresOf(
      (api) => describeDiscoveryPlane(api, workerHarness(Broken)),
      test,
    );
    expect(failures).toEqual([test]);
  });

  it("keeps the first value where it should replace it, and the other way round", async () => {
    const test = "keeps or replaces an endpoint and a channel that are registered again";
    const harness = workerHarness(Worker, { registerAgain: "keep" });
    expect(await failuresOf((api) => describeDiscoveryPlane(api, harness), test)).toEqual([test]);
  });
});
