import { expect, it } from "vitest";
import { printable, printableJson } from "./printable.ts";

const hostile = "\u001b[2J\u009b1m\u202egnp.\u2066\u200f\u2028\u{e0041}\u0007\ud800";

it("shows what would drive the terminal or reorder the line as its code", () => {
  expect(printable(hostile)).toBe(
    "\\u{1b}[2J\\u{9b}1m\\u{202e}gnp.\\u{2066}\\u{200f}\\u{2028}\\u{e0041}\\u{7}\\u{d800}",
  );
  expect(printable("Qwen/Qwen3 ü 模型 😀")).toBe("Qwen/Qwen3 ü 模型 😀");
});

it("escapes the same in JSON, which still says the same, on one line", () => {
  const value = { [hostile]: hostile, ok: 'ü 😀 \\ " a  b', list: [1, { a: true }] };
  const json = JSON.stringify(value, null, 2);
  const line = printableJson(json);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}]/u);
  expect(line).toContain('"ok":"ü 😀 \\\\ \\" a  b","list":[1,{"a":true}]');
});

it("keeps numbers as they are spelt, and takes long texts", () => {
  expect(printableJson('{"id": 18446744073709551615, "x": 1.0e0}')).toBe(
    '{"id":18446744073709551615,"x":1.0e0}',
  );
  const long = JSON.stringify({ a: "x\\".repeat(1_000_000) });
  expect(printableJson(long)).toBe(long);
});
