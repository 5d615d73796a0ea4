import { describe, expect, it } from "vitest";
import { decodeRecord } from "./decode-record.ts";

const model = (id: string, suffix = ""): string =>
  `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":${id},"card_json":{}${suffix}}`;

describe("decodeRecord", () => {
  it.each([
    ["n/c/e/ffffffffffffffff", model("18446744073709551615")],
    ["n/c/e/0FF", model("255")],
    ["n/c/e/ff/lora", model("255", ',"model_suffix":"lora"')],
  ])("reads what lies under %s", (key, value) => {
    expect(decodeRecord("Model", key, value).type).toBe("Model");
  });

  it.each([
    ["n/c/e/fe", model("255"), "PLANE_RECORD"],
    ["n/c/x/ff", model("255"), "PLANE_RECORD"],
    ["n/c/e/ff", model("255", ',"model_suffix":"lora"'), "PLANE_RECORD"],
    ["n/c/e/ff", model("255").replace("Model", "EventBus"), "PLANE_RECORD_TYPE"],
    [
      "n/c/e/ff",
      '{"type":"Endpoint","namespace":"n","component":"c","endpoint":"e","instance_id":255,"transport":{"tcp":"h:1"}}',
      "PLANE_RECORD",
    ],
    ["n/c/e/0xff", model("255"), "PLANE_PATH"],
    ["n/c/e/ff", "", "PLANE_JSON"],
  ])("refuses under %s what is none, or another's: %s", (key, value, code) => {
    expect(() => decodeRecord("Model", key, value)).toThrow(expect.objectContaining({ code }));
  });
});
