import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGoFloat } from "./go-float.ts";

describe("parseGoFloat", () => {
  it.each([
    ["0", 0],
    ["-0", -0],
    ["+3", 3],
    [".5", 0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["2.307941e+06", 2307941],
    ["1E-2", 0.01],
    ["9223372036854775794", 2 ** 63],
    ["1e-400", 0],
    ["inf", Number.POSITIVE_INFINITY],
    ["+Inf", Number.POSITIVE_INFINITY],
    ["-infinity", Number.NEGATIVE_INFINITY],
    ["nAn", Number.NaN],
    ["0x1p-2", 0.25],
    ["0X1.8P1", 3],
    ["-0x.8p0", -0.5],
    ["0x0p99999", 0],
    ["0x1p-1074", 5e-324],
    ["0x1.fffffffffffffp1023", Number.MAX_VALUE],
    // round to even, then the sticky bit beyond 64 bits decides
    ["0x1.00000000000008p0", 1],
    ["0x1.000000000000080000000001p0", 1 + Number.EPSILON],
  ])("reads %s", (token, value) => {
    expect(parseGoFloat(token)).toBe(value);
  });

  it.each([
    "",
    "+",
    ".",
    "e5",
    "1e",
    "1e+",
    "0x10",
    "0x",
    "0xp1",
    "0x.p1",
    "0x1p",
    "0b1",
    "0o7",
    "1_000",
    "0x_1p0",
    "+nan",
    "-NaN",
    "infi",
    "Infinit",
    "--1",
    "1 ",
    " 1",
    "1,0",
    "1e999",
    "-1e999",
    "0x1p1024",
    "١",
    "None",
  ])("refuses %j", (token) => {
    expect(parseGoFloat(token)).toBeUndefined();
  });

  it("agrees with every way of writing a double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // String(-0) is "0"
        expect(parseGoFloat(String(value))).toBe(value + 0);
        expect(parseGoFloat(value.toExponential())).toBe(value + 0);
        expect(parseGoFloat(value.toPrecision(30))).toBe(value + 0);
        expect(parseGoFloat(hexOf(value))).toBe(value);
      }),
    );
  });
});

/** C's %a, from the bits of a double. */
function hexOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn).toString(16).padStart(13, "0");
  const sign = bits >> 63n === 1n ? "-" : "";
  return exponent === 0
    ? `${sign}0x0.${mantissa}p-1022`
    : `${sign}0x1.${mantissa}p${exponent - 1023}`;
}
