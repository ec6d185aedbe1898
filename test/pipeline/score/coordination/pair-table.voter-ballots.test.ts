import fc from "fast-check";
import { expect, test } from "vitest";
import { createVotesByVoter } from "../../../../pipeline/score/coordination/pair-table.ts";

const VOTERS = 4;
const steps = fc.array(
  fc.record({
    voter: fc.nat(VOTERS - 1),
    order: fc.nat(12),
    step: fc.constantFrom("insert", "insert", "remove", "clear"),
  }),
  { maxLength: 120, size: "max" },
);

test("ballots that come and go in any order are listed as a table lists them", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const ballots = createVotesByVoter(VOTERS);
      const plain = Array.from({ length: VOTERS }, () => new Map<number, number>());
      const listOf = (voter: number): [number, number][] =>
        [...(plain[voter] ?? [])].sort(([a], [b]) => a - b);
      taken.forEach(({ voter, order, step }, place) => {
        const own = plain[voter] ?? new Map<number, number>();
        if (step === "clear" && order === 0) {
          ballots.clear();
          for (const all of plain) all.clear();
        } else if (step === "insert" && !own.has(order)) {
          ballots.insert(voter, order, place);
          own.set(order, place);
        } else if (step === "remove" && own.delete(order)) ballots.remove(voter, order);
        const found: [number, number][] = [];
        ballots.forEach(voter, (...entry) => found.push(entry));
        expect(found).toStrictEqual(listOf(voter));
        expect(ballots.countOf(voter)).toBe(found.length);
      });
      const common: number[][] = [];
      const count = ballots.forEachCommon(0, 1, (...each) => common.push(each));
      expect(common).toStrictEqual(
        listOf(0).flatMap(([order, place]) => {
          const other = plain[1]?.get(order);
          return other === undefined ? [] : [[order, place, other]];
        }),
      );
      expect(count).toBe(common.length);
    }),
  );
});

test("thousands of ballots find room, and what is taken out is used again", () => {
  const ballots = createVotesByVoter(2);
  for (let order = 0; order < 5000; order += 1) ballots.insert(order % 2, order, order + 1);
  for (let order = 0; order < 4990; order += 1) ballots.remove(order % 2, order);
  for (let order = 5000; order < 5004; order += 1) ballots.insert(1, order, order + 1);
  const found: number[] = [];
  ballots.forEach(1, (order, place) => found.push(order, place - order));
  expect(found).toStrictEqual(
    [4991, 4993, 4995, 4997, 4999, 5000, 5001, 5002, 5003].flatMap((order) => [order, 1]),
  );
});

test.each([
  { why: "none at all", cast: [], order: 1 },
  { why: "another one", cast: [2], order: 1 },
])("a ballot that its voter did not cast is not taken out: $why", ({ cast, order }) => {
  const ballots = createVotesByVoter(1);
  for (const each of cast) ballots.insert(0, each, 0);
  expect(() => ballots.remove(0, order)).toThrow("did not cast");
});
