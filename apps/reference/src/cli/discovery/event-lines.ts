import { systemClock } from "@muster/core";
import {
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  encodeInstance,
} from "@muster/core/plane";
import type { KindName } from "../../plane/kinds.ts";
import { keyOf } from "../../plane/records.ts";
import type { Io } from "../io.ts";
import { printable, printableJson } from "../printable.ts";
import { nameParts, valueParts } from "./describe.ts";
import type { EventWriter } from "./follow.ts";

/** Events as lines of JSON. Records are in wire form: their ids are bare numbers of 64 bits. */
export function jsonEvents(out: Io["out"]): EventWriter {
  const say = (json: string): void => out(`${printableJson(json)}\n`);
  return (kind, event) => {
    switch (event.type) {
      case "Added":
        return say(`{"event":"added","record":${encodeInstance(event.instance)}}`);
      case "Removed": {
        const { id } = event;
        const key = JSON.stringify(keyOf(id));
        return say(`{"event":"removed","kind":"${kind}","key":${key},"id":${id.toJson()}}`);
      }
      case "ModelTaintsUpdated": {
        const key = JSON.stringify(keyOf(event.id));
        return say(`{"event":"taints","key":${key},"taints":${JSON.stringify(event.taints)}}`);
      }
      case "Resync":
        return say(`{"event":"resync","kind":"${kind}","count":${event.instances.length}}`);
    }
  };
}

/** Events as lines for people: when, what, which record. */
export function textEvents({ out, err }: Pick<Io, "out" | "err">): EventWriter {
  const known = new Set<string>();
  const agreed = new Set<KindName>();
  const say = (what: string, all: readonly string[]): void => {
    const parts = all.filter((part) => part !== "");
    out(
      `${printable(`${new Date(systemClock.now()).toISOString()}  ${what}  ${parts.join("  ")}`)}\n`,
    );
  };
  return (kind, event) => {
    switch (event.type) {
      case "Added": {
        const { key } = event.instance.id();
        const what = known.has(key) ? "changed" : "added  ";
        known.add(key);
        return say(what, recordParts(event.instance));
      }
      case "Removed":
        known.delete(event.id.key);
        return say("removed", [
          singular(event.id.type),
          nameParts(event.id).join("/"),
          suffixOf(event.id),
        ]);
      case "ModelTaintsUpdated":
        return say("taints ", [
          singular("Model"),
          nameParts(event.id).join("/"),
          event.taints.join(" "),
        ]);
      case "Resync": {
        const again = agreed.has(kind) ? "compared with the store again" : "all that is there";
        agreed.add(kind);
        err(`${kind}: ${event.instances.length}, ${again}\n`);
      }
    }
  };
}

function recordParts(instance: DiscoveryInstance): readonly string[] {
  return [singular(instance.type), nameParts(instance).join("/"), ...valueParts(instance)];
}

function suffixOf(id: DiscoveryInstanceId): string {
  return id.type === "Model" ? (id.modelSuffix ?? "") : "";
}

function singular(type: DiscoveryInstance["type"]): string {
  return { Endpoint: "endpoint", Model: "model", EventChannel: "channel", EventSource: "source" }[
    type
  ];
}
