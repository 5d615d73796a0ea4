import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMusterError } from "../errors.ts";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { DiscoveryMetadata } from "./discovery-metadata.ts";
import { encodeInstance } from "./encode-instance.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { EventChannelInstance } from "./event-channel-instance.ts";
import { EventSourceInstance } from "./event-source-instance.ts";
import type { EventScope } from "./event-types.ts";
import { ModelInstance } from "./model-instance.ts";
import { parseJson } from "./parse-json.ts";
import { decodeSegment, encodeSegment } from "./path-segment.ts";
import { idFromKey } from "./plane-keys.ts";
import { RawJson } from "./raw-json.ts";
import { stringifyJson } from "./stringify-json.ts";
import { formatHexId, maxU64, parseHexId } from "./u64.ts";

// few values as well as any, so that equal ones meet
const id = fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt(0n, maxU64));
const text = fc.oneof(fc.constantFrom("", "1", "topic"), fc.string({ unit: "grapheme" }));
const part = text.map((value) => value.replaceAll("/", "-"));
const bigints = fc.bigInt(-(2n ** 80n), 2n ** 80n).filter((n) => n > 2n ** 53n || n < -(2n ** 53n));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, -0),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    bigints,
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constant("__proto__")), tie("value"), {
      maxKeys: 4,
      noNullPrototype: false,
    }),
  ),
})).value;
const raw = json.map((value) => RawJson.of(value));

const names = { namespace: part, component: part, endpoint: part, instanceId: id };
const scope: fc.Arbitrary<EventScope> = fc.oneof(
  fc.record({ kind: fc.constant("namespace" as const), name: text }),
  fc.record({ kind: fc.constant("component" as const), namespace: text, component: text }),
  fc.record({
    kind: fc.constant("endpoint" as const),
    endpoint: fc.record({ namespace: text, component: text, name: text }),
  }),
);
const option = fc.option(text, { nil: undefined });
const instance: fc.Arbitrary<DiscoveryInstance> = fc.oneof(
  fc
    .record({
      ...names,
      transport: fc.oneof(
        text.map((tcp) => ({ tcp })),
        text.map((nats_tcp) => ({ nats_tcp })),
      ),
      deviceType: option,
      requestPlaneCodec: option,
      unknownFields: fc.array(fc.tuple(fc.constantFrom("__proto__", "x", "y"), raw)),
    })
    .map((init) => new EndpointInstance(init)),
  fc
    .record({ ...names, cardJson: raw, modelSuffix: fc.option(part, { nil: null }) })
    .map((init) => new ModelInstance(init)),
  fc
    .record({
      scope,
      topic: text,
      instanceId: id,
      transport: fc.record({
        kind: fc.constant("Zmq" as const),
        config: fc.record({ endpoint: text }),
      }),
    })
    .map((init) => new EventChannelInstance(init)),
  fc
    .record({ scope, topic: text, publisherId: id, metadata: raw })
    .map((init) => new EventSourceInstance(init)),
);

function decodeCode(written: string): string {
  try {
    decodeInstance(written);
  } catch (error) {
    if (isMusterError(error)) return error.code;
    throw error;
  }
  return "read";
}

describe("broken records", () => {
  it("half a record is no JSON", () => {
    fc.assert(
      fc.property(instance, fc.double({ min: 0, max: 1, noNaN: true }), (record, share) => {
        const written = encodeInstance(record);
        const half = written.slice(0, Math.floor(share * (written.length - 1)));
        expect(decodeCode(half)).toBe("PLANE_JSON");
      }),
    );
  });

  it("any change of a record is read, or refused with a code", () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    const noise = fc.string({ maxLength: 3, unit: fc.constantFrom(...'{}[]",:\\0-e.\u0000n ') });
    fc.assert(
      fc.property(instance, place, fc.nat(9), noise, (record, share, length, inserted) => {
        const written = encodeInstance(record);
        const at = Math.floor(share * written.length);
        const changed = written.slice(0, at) + inserted + written.slice(at + length);
        expect(["read", "PLANE_JSON", "PLANE_RECORD", "PLANE_RECORD_TYPE"]).toContain(
          decodeCode(changed),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("round trips", () => {
  it("of values through JSON", () => {
    fc.assert(
      fc.property(json, (value) => {
        const written = stringifyJson(value);
        expect(stringifyJson(parseJson(written))).toBe(written);
        expect(RawJson.of(value).equals(RawJson.of(parseJson(written)))).toBe(true);
      }),
    );
  });

  it("of whatever JSON.stringify writes, with any spaces", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const given = JSON.stringify(value, undefined, indent);
        const read = parseJson(given);
        expect(stringifyJson(read)).toBe(JSON.stringify(JSON.parse(given)));
        expect(RawJson.parse(given).text).toBe(given);
      }),
    );
  });

  it("of any text: what is no JSON to JSON.parse is none to us", () => {
    const tokens = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "a",
      "\\",
      "1",
      "-",
      ".",
      "e",
    );
    fc.assert(
      fc.property(
        fc.array(tokens).map((parts) => parts.join("")),
        (given) => {
          let expected = true;
          try {
            JSON.parse(given);
          } catch {
            expected = false;
          }
          let read = true;
          try {
            parseJson(given);
          } catch {
            read = false;
          }
          expect(read).toBe(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("of ids through paths and hexadecimal", () => {
    fc.assert(
      fc.property(instance, id, (record, number) => {
        const given = record.id();
        const read = idFromKey(given.type, given.toPath());
        expect(read).toEqual(given);
        expect(read.equals(given) && read.key === given.key).toBe(true);
        expect(parseHexId(formatHexId(number))).toBe(number);
      }),
    );
  });

  it("of two ids: their keys are equal only if they are", () => {
    fc.assert(
      fc.property(instance, instance, (a, b) => {
        const same = stringifyJson(a.id()) === stringifyJson(b.id());
        expect(a.id().key === b.id().key).toBe(same);
        expect(a.id().equals(b.id())).toBe(same);
      }),
    );
  });

  it("of segments, and nothing but what was encoded is decoded", () => {
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom(..."%aF2c.3é") }), (given, other) => {
        expect(decodeSegment(encodeSegment(given))).toBe(given);
        expect(encodeSegment(given)).toMatch(/^(?:[A-Za-z0-9_-]|%[0-9A-F]{2})*$/);
        const decoded = decodeSegment(other);
        if (decoded !== undefined) expect(encodeSegment(decoded)).toBe(other);
      }),
    );
  });

  it("of records, one by one and as metadata", () => {
    fc.assert(
      fc.property(instance, (record) => {
        const written = encodeInstance(record);
        const read = decodeInstance(written);
        expect(read.equals(record)).toBe(true);
        expect(encodeInstance(read)).toBe(written);
        const map = { Endpoint: "endpoints", Model: "model_cards" } as const;
        if (record.type !== "Endpoint" && record.type !== "Model") return;
        const metadata = DiscoveryMetadata.fromJson(`{"${map[record.type]}":{"k":${written}}}`);
        const entries = record.type === "Model" ? metadata.modelCards : metadata.endpoints;
        expect(entries.get("k")?.equals(record)).toBe(true);
      }),
    );
  });
});
