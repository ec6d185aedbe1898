import { expect, test } from "vitest";
import { largestVoters } from "../../../../pipeline/score/alike/largest-voters.ts";
import { sampleBallot } from "../sample-facts.ts";

const ballots = (...powers: readonly (readonly number[])[]) =>
  powers.map((own) => sampleBallot(own.map((power, voter) => ({ voter, power }))).ballot);
const nobody = () => false;

test.each([
  { why: "largest first", sizes: [1, 3, 2], of: ballots([1, 3, 2]), order: [1, 2, 0] },
  { why: "no power is nobody", sizes: [1, 0, 2], of: ballots([1, 1, 2]), order: [2, 0] },
  { why: "equal ones by the first ballot", sizes: [3, 3], of: ballots([1, 2], [2, 1]), order: [1, 0] },
  { why: "or the next", sizes: [3, 3, 9], of: ballots([1, 1, 3], [2, 1, 3], [1, 2, 3]), order: [2, 0, 1] },
  { why: "nobody", sizes: [], of: [], order: [] },
])("$why", ({ sizes, of, order }) => {
  expect(largestVoters(of, Float64Array.from(sizes), nobody)).toStrictEqual(order);
});

test("of those that are equal in everything the labelled come first", () => {
  expect(largestVoters(ballots([1, 1]), Float64Array.of(1, 1), (voter) => voter === 1)).toStrictEqual([1, 0]);
});

test("the hundred largest of very many, ties at the end of them by their records", () => {
  const sizes = Float64Array.from({ length: 20_000 }, (_, voter) =>
    voter % 200 === 0 ? 1000 - voter / 200 : 1,
  );
  expect(largestVoters([], sizes, nobody)).toStrictEqual(Array.from({ length: 100 }, (_, at) => 200 * at));
  const powers = Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : voter === 120 ? 1.5 : 1));
  const tied = Float64Array.from({ length: 150 }, (_, voter) => (voter < 99 ? 2 : 1));
  const found = largestVoters(ballots(powers), tied, nobody);
  expect(found).toHaveLength(100);
  expect(found.at(-1)).toBe(120);
});
