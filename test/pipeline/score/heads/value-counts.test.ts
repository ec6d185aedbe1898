import fc from "fast-check";
import { expect, test } from "vitest";
import { createValueCounts, type ValueCounts } from "../../../../pipeline/score/heads/value-counts.ts";

/** Looks are dear to check. */
const STEPS = [...Array<string>(12).fill("add"), ...Array<string>(8).fill("take out"), "look"];

const steps = fc.array(
  fc.record({
    value: fc.oneof(fc.nat(40), fc.double({ min: 1e-9, max: 50, noNaN: true })),
    step: fc.constantFrom(...STEPS),
  }),
  { maxLength: 400, size: "max" },
);

function pairsOf(counts: ValueCounts): [number, number][] {
  const { values, counts: often } = counts.ascending();
  return Array.from(values, (value, place) => [value, often[place] ?? 0]);
}

test("numbers that come and go are counted as a table counts them", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const counts = createValueCounts();
      const plain = new Map<number, number[]>();
      const expected = (): [number, number][] =>
        [...plain]
          .map(([value, tickets]): [number, number] => [value, tickets.length])
          .filter(([, often]) => often > 0)
          .sort(([a], [b]) => a - b);
      for (const { value, step } of taken) {
        const tickets = plain.get(value) ?? [];
        plain.set(value, tickets);
        if (step === "add") tickets.push(counts.add(value));
        else if (step === "look") expect(pairsOf(counts)).toStrictEqual(expected());
        else {
          const ticket = tickets.pop();
          if (ticket !== undefined) counts.takeOut(ticket);
        }
      }
      expect(pairsOf(counts)).toStrictEqual(expected());
    }),
  );
});

test.each([
  { why: "never looked at", every: Infinity },
  { why: "looked at now and then", every: 97 },
])(
  "of thousands that have gone no room is kept, and those that stay keep their tickets: $why",
  ({ every }) => {
    const counts = createValueCounts();
    const tickets: number[] = [];
    for (let value = 0; value < 100_000; value += 1) {
      tickets.push(counts.add(value / 3));
      if (value >= 10) counts.takeOut(tickets[value - 10] ?? -1);
      if (value % every === every - 1) expect(counts.ascending().values.length).toBe(10);
    }
    expect(pairsOf(counts)).toStrictEqual(
      Array.from({ length: 10 }, (_, place) => [(99_990 + place) / 3, 1]),
    );
    expect(Math.max(...tickets.slice(-1000))).toBeLessThan(200);
  },
);

test("a ticket of a number that has gone since the last look serves another one", () => {
  const counts = createValueCounts();
  const tickets = Array.from({ length: 64 }, (_, value) => counts.add(value));
  expect(pairsOf(counts)).toHaveLength(64);
  for (const ticket of tickets.slice(0, 60)) counts.takeOut(ticket);
  for (let value = 100; value < 130; value += 1) counts.add(value);
  const present = [60, 61, 62, 63, ...Array.from({ length: 30 }, (_, place) => 100 + place)];
  expect(pairsOf(counts)).toStrictEqual(present.map((value) => [value, 1]));
});
