import { createEndpointMetadata, type EndpointMetadataInit, isMusterError } from "@muster/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseEndpointsFile } from "./endpoints-file.ts";

const port = fc.integer({ min: 1, max: 65_535 });
const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/);
const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const metrics = fc.record({
  address: some(address),
  port: some(port),
  scheme: some(fc.constantFrom("http" as const, "https" as const)),
  path: some(fc.constantFrom("/", "/metrics", "/a?b=c&d='\"")),
  enabled: some(fc.boolean()),
});
const label = fc.oneof(name, fc.constantFrom("__proto__", "yes", "null", "1.10", "0x1F", "~"));
const entry: fc.Arbitrary<EndpointMetadataInit> = fc.record({
  name: fc.oneof(name, fc.constantFrom("007", "true", "1e3", "_", "-", "#a", "ü")),
  namespace: some(name),
  address,
  port: fc.oneof(port, port.map(String)),
  labels: some(fc.dictionary(label, label, { noNullPrototype: false })),
  metrics: some(metrics),
});
const entries = fc.uniqueArray(entry, {
  selector: ({ namespace = "default", name: own }) => `${namespace}/${own}`,
  maxLength: 8,
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("parseEndpointsFile, for any content", () => {
  it("reads back what was written, as YAML and as JSON", async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.constantFrom("yaml", "json", "pretty"), async (list, form) => {
        const plain: unknown = JSON.parse(JSON.stringify({ endpoints: list }));
        const text =
          form === "yaml" ? stringify(plain) : JSON.stringify(plain, null, form === "json" ? 0 : 2);
        const { endpoints, invalid, unnamed } = await parseEndpointsFile(bytes(text));
        expect([...endpoints.values()]).toEqual(list.map(createEndpointMetadata));
        expect([invalid.size, unnamed]).toEqual([0, 0]);
      }),
      { numRuns: 300 },
    );
  });

  const outcome = async (content: Uint8Array): Promise<void> => {
    try {
      const { endpoints, problems } = await parseEndpointsFile(content, { file: "e.yaml" });
      for (const metadata of endpoints.values()) expect(Object.isFrozen(metadata)).toBe(true);
      for (const { path } of problems) expect(path).toMatch(/^e\.yaml:\d+:\d+: /);
    } catch (error) {
      expect(isMusterError(error) && error.code).toMatch(/^DISCOVERY_(PARSE|TOO_LARGE)$/);
      expect(isMusterError(error) && error.path).toMatch(/^e\.yaml(:\d+:\d+)?$/);
    }
  };

  it("gives a result or a coded error for any bytes", async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), outcome), {
      numRuns: 500,
    });
  });

  it("gives a result or a coded error for any text of YAML's own characters", async () => {
    const piece = fc.constantFrom(
      ...["endpoints", "name", "address", "port", "labels", "metrics", "<<", "a", "1", ":", ": "],
      ...["- ", "\n", "\n  ", "[", "]", "{", "}", ",", "&a ", "*a", "!x ", "!!binary ", '"', "'"],
      ...["|", ">", "? ", "#", "%YAML 1.1\n", "---\n", "...\n", "~", "\t", "\r\n", "\\", "ü", "💥"],
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(pieces.join("")));
    await fc.assert(fc.asyncProperty(text, outcome), { numRuns: 1000 });
  });

  it("gives a result or a coded error for a good file cut off or damaged anywhere", async () => {
    const damaged = fc
      .tuple(entries, fc.nat(), fc.nat(), fc.string({ maxLength: 3, unit: "binary" }))
      .map(([list, at, cut, noise]) => {
        const text = stringify(JSON.parse(JSON.stringify({ endpoints: list })));
        const place = at % (text.length + 1);
        return bytes(text.slice(0, place) + noise + text.slice(place + (cut % 20)));
      });
    await fc.assert(fc.asyncProperty(damaged, outcome), { numRuns: 500 });
  });
});
