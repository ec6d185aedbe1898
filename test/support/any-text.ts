import fc from "fast-check";

/** Code points that stand for no character. */
const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character of Unicode. Fast-check's own generator first builds a table of 1.1 million: a second and 140 MB. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));

const PROPERTY_NAMES = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"];

/** Text of any characters, sometimes the name of a property that every object has. */
export function anyText(
  length: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = length;
  const names = PROPERTY_NAMES.filter((name) => name.length >= minLength && name.length <= maxLength);
  const text = fc.string({ unit: character, ...length });
  return names.length === 0
    ? text
    : fc.oneof({ weight: 15, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...names) });
}
