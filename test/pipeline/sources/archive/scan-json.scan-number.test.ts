import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanNumber } from "../../../../pipeline/sources/archive/scan-json.ts";

/** The number that begins a text, and what was left of the text. */
function scanned(text: string): { readonly number: number; readonly rest: string } | undefined {
  const into = { number: -1 };
  const end = scanNumber(Buffer.from(`${text}\n`), 0, into);
  return end === -1 ? undefined : { number: into.number, rest: text.slice(end) };
}

describe("scanNumber", () => {
  const WHOLE = "0 7 9007199254740991 9007199254740992 9007199254740993";
  const LONG = "123456789012345678901 1234567890123456789012 12345678901234567890123 17976931348623157";
  const PARTS = "0.0 0.1 1561.074266678488 381.40619467738727 900719925474099.1 0.30000000000000004";
  // The sum of both parts, each rounded, is the double above or below.
  const BETWEEN = "28.8049525169956606 14.3197920575568718 9007199254740993.0000000000000000000001";
  const EXPONENTS = "0.00000000000000000000001 1e21 1E-7 2.5e+3 5e-324 1e-400 1e309";
  it.each([
    ...[WHOLE, LONG, PARTS, BETWEEN, EXPONENTS].flatMap((texts) => texts.split(" ")),
    "1".repeat(400),
    `0.${"0".repeat(30)}1`,
  ])("reads %s as JSON.parse does", (text) => {
    expect(scanned(text)).toEqual({ number: JSON.parse(text), rest: "" });
  });

  it.each(["", "-1", "+1", ".5", "1.", "1.e5", "01", "00", "1e", "1e+", "NaN", "x"])(
    "reads no number in %j",
    (text) => {
      expect(scanned(text)).toBeUndefined();
    },
  );

  it.each(["1|,2", "1.5|.5", "1|-2", "1e5|e5", "0|x10"])("ends before what is no part of it: %s", (text) => {
    expect(scanned(text.replace("|", ""))?.rest).toBe(text.split("|")[1]);
  });

  it("reads any double back, in the shortest form and in others", () => {
    const double = fc.oneof(
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 1e13, max: 1e18, noNaN: true }),
    );
    fc.assert(
      fc.property(double, fc.integer({ min: 1, max: 25 }), (value, digits) => {
        for (const text of [JSON.stringify(value), value.toPrecision(digits), value.toFixed(digits % 20)]) {
          expect(scanned(text)).toEqual({ number: Number(text), rest: "" });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("rounds as JSON.parse does next to the middle between two doubles", () => {
    const far = fc.record({
      double: fc.double({ min: 2 ** 40, max: 2 ** 62, noNaN: true }),
      nudge: fc.constantFrom("", "0000001", "9"),
    });
    fc.assert(
      fc.property(far, ({ double, nudge }) => {
        // The middle has one more binary digit: a whole number and a fraction of at most 13 bits, which ends.
        const ulp = 2 ** (Math.floor(Math.log2(double)) - 52);
        const whole = BigInt(Math.floor(double));
        const fraction = double - Math.floor(double) + ulp / 2;
        const [, decimals = ""] = fraction.toFixed(20).split(".");
        const middle = `${whole + BigInt(Math.floor(fraction))}.${decimals.replace(/0+$/, "")}${nudge}`;
        const text = middle.endsWith(".") ? `${middle}0` : middle;
        expect(scanned(text)).toEqual({ number: Number(text), rest: "" });
      }),
      { numRuns: 1_000 },
    );
  });
});
