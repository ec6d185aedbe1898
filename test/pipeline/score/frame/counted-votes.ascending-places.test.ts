import fc from "fast-check";
import { expect, test } from "vitest";
import { ascendingPlaces } from "../../../../pipeline/score/frame/counted-votes.ts";

const key = fc.oneof(fc.nat(5), fc.double({ min: 0, noNaN: true }), fc.constantFrom(0, 5e-324, 1.7e308));

test("places are sorted as a comparing function sorts them, equal ones in their order", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 200, size: "max" }), (keys) => {
      const compared = keys.map((_, place) => place).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
      const given = Float64Array.from(keys);
      expect([...ascendingPlaces(given)]).toStrictEqual(compared);
      expect([...given], "the keys stay as they were").toStrictEqual(keys);
    }),
  );
});

test.each([0, 1, 12, 13, 24, 25, 1000])("%i keys that fall", (count) => {
  const keys = Float64Array.from({ length: count }, (_, place) => -place);
  expect([...ascendingPlaces(keys)]).toStrictEqual(Array.from(keys, (_, place) => count - 1 - place));
});
