import { describe, expect, it } from "vitest";
import type { StandardSchema } from "../standard-schema.ts";
import { decodeInstance } from "./decode-instance.ts";
import { extractEndpointId, extractModelId } from "./discovery-instance-id.ts";
import { fromModel } from "./from-model.ts";
import { withInstanceId } from "./with-instance-id.ts";

interface Card {
  readonly display_name: string;
}

function schema(validate: StandardSchema["~standard"]["validate"]): StandardSchema<unknown, Card> {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}

const names = { namespace: "n", component: "c", endpoint: "e" };
const model = withInstanceId(
  fromModel({ ...names, card: { display_name: "m", n: 2n ** 60n } }),
  1n,
);
const endpoint = withInstanceId({ type: "Endpoint", ...names, transport: { tcp: "h:1" } }, 1n);
const channel = decodeInstance(
  `{"type":"EventChannel","scope":{"kind":"namespace","name":"n"},"topic":"t","instance_id":1,"transport":{"kind":"Zmq","config":{"endpoint":"e"}}}`,
);

describe("deserializeModel", () => {
  it("gives what the schema makes of the card", () => {
    const card = model.deserializeModel(schema((value) => ({ value })));
    expect(card).toEqual({ display_name: "m", n: 2n ** 60n });
  });

  it("lists what is wrong", () => {
    const issues = [{ message: "required", path: ["slug", { key: 0 }] }, { message: "no" }];
    expect(() => model.deserializeModel(schema(() => ({ issues })))).toThrow(
      expect.objectContaining({
        code: "PLANE_CARD",
        message: "model card of n/c/e/1: slug[0]: required; no",
      }),
    );
  });

  it("refuses a schema that is asynchronous, also when it fails later", () => {
    const late = schema(() => Promise.reject(new Error("late")));
    expect(() => model.deserializeModel(late)).toThrow(
      expect.objectContaining({
        code: "PLANE_CARD",
        message: expect.stringContaining("asynchronous"),
      }),
    );
  });

  it("says what the schema threw", () => {
    const broken = schema(() => {
      throw new Error("oops");
    });
    expect(() => model.deserializeModel(broken)).toThrow(
      expect.objectContaining({ code: "PLANE_CARD", message: expect.stringContaining("oops") }),
    );
  });

  it.each([endpoint, channel])("refuses another kind", (instance) => {
    expect(() => instance.deserializeModel(schema((value) => ({ value })))).toThrow(
      expect.objectContaining({
        code: "PLANE_VARIANT",
        message: `Cannot deserialize model from ${instance.type} instance`,
      }),
    );
  });
});

describe("extracting ids", () => {
  it("gives the id of the kind", () => {
    expect(extractEndpointId(endpoint.id()).toPath()).toBe("n/c/e/1");
    expect(extractModelId(model.id()).modelSuffix).toBe(undefined);
  });

  it.each([
    [() => extractEndpointId(model.id()), "Expected Endpoint variant, got Model"],
    [() => extractModelId(endpoint.id()), "Expected Model variant, got Endpoint"],
    [() => extractModelId(channel.id()), "Expected Model variant, got EventChannel"],
  ])("refuses another kind: %s", (extract, message) => {
    expect(extract).toThrow(expect.objectContaining({ code: "PLANE_VARIANT", message }));
  });
});

it("an endpoint prints as the original sorts it", () => {
  expect(`${endpoint}`).toBe("n/c/e/1");
});
