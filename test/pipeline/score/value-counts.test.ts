import fc from "fast-check";
import { expect, test } from "vitest";
import { createValueCounts } from "../../../pipeline/score/value-counts.ts";

const steps = fc.array(
  fc.record({
    value: fc.oneof(fc.nat(40), fc.double({ min: 1e-9, max: 50, noNaN: true })),
    isTakenOut: fc.boolean(),
  }),
  { maxLength: 400, size: "max" },
);

test("numbers that come and go are counted as a table counts them", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const counts = createValueCounts();
      const plain = new Map<number, number>();
      for (const { value, isTakenOut } of taken) {
        const known = plain.get(value) ?? 0;
        if (isTakenOut && known === 0) continue;
        counts.add(value, isTakenOut ? -1 : 1);
        plain.set(value, known + (isTakenOut ? -1 : 1));
        expect(counts.countOf(value)).toBe(plain.get(value));
      }
      const present = [...plain].filter(([, count]) => count > 0).map(([value]) => value);
      expect([...counts.ascending()]).toStrictEqual(present.sort((a, b) => a - b));
    }),
  );
});

test("of thousands that have gone no room is kept", () => {
  const counts = createValueCounts();
  for (let value = 0; value < 100_000; value += 1) {
    counts.add(value / 3, 1);
    if (value >= 10) counts.add((value - 10) / 3, -1);
  }
  expect([...counts.ascending()]).toStrictEqual(
    Array.from({ length: 10 }, (_, place) => (99_990 + place) / 3),
  );
  expect(counts.countOf(0)).toBe(0);
});
