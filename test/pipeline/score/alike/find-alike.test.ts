import { describe, expect, test } from "vitest";
import type { Agreement } from "../../../../pipeline/score/alike/agreement.ts";
import { createAlikeFinder } from "../../../../pipeline/score/alike/find-alike.ts";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";
import { seededRandom } from "../../../faults/seeded-random.ts";

type Cast = Readonly<Record<number, readonly [power: number, choice: number]>>;

function ballot(votes: Cast, agreement?: Agreement): Ballot {
  const entries = Object.entries(votes);
  const total = entries.reduce((sum, [, [power]]) => sum + power, 0);
  const shares = Float64Array.from(entries, ([, [power]]) => power / total);
  const ascending = shares.slice().sort();
  return {
    voters: Int32Array.from(entries, ([voter]) => Number(voter)),
    shares,
    choices: Uint32Array.from(entries, ([, [, choice]]) => choice),
    agreement,
    ascending,
    capped: cappedShares(shares, ascending),
    validPower: total,
    knownCount: entries.length,
    fetchedCount: entries.length,
  };
}
const times = (count: number, votes: Cast, agreement?: Agreement) =>
  Array.from({ length: count }, () => ({ ballot: ballot(votes, agreement), attention: 1 }));
const nobody = () => false;
const findAlike = (
  ballots: ReturnType<typeof times>,
  voters: number,
  isLabelled: (voter: number) => boolean,
) => {
  const votes = collectVoterVotes(
    ballots.map((each) => each.ballot),
    voters,
  );
  return createAlikeFinder(votes, isLabelled)(Float64Array.from(ballots, ({ attention }) => attention));
};
/** To whom each of some voters passes how much, by rank; the largest has rank 0. */
const passing = (
  ballots: ReturnType<typeof times>,
  voters: number,
  isLabelled: (voter: number) => boolean = nobody,
) => {
  const found = findAlike(ballots, voters, isLabelled);
  return Array.from({ length: voters }, (_, voter) =>
    (found?.receiverOf[voter] ?? -1) < 0 ? 0 : Number((found?.partOf[voter] ?? 0).toFixed(9)),
  );
};

describe("two that vote alike", () => {
  const alike: Cast = { 0: [2, 0], 1: [1, 0] };
  test.each([
    { why: "five times prove nothing", ballots: times(5, alike), part: 0 },
    { why: "six times: 6/11", ballots: times(6, alike), part: (6 / 11 - 0.5) / 0.2 },
    { why: "twelve times are enough: 12/17", ballots: times(12, alike), part: 1 },
    {
      why: "half of their votes differ",
      ballots: [...times(20, alike), ...times(20, { 0: [2, 0], 1: [1, 1] })],
      part: 0,
    },
    {
      why: "a fifth differs: 32/45",
      ballots: [...times(32, alike), ...times(8, { 0: [2, 0], 1: [1, 1] })],
      part: 1,
    },
    {
      why: "a third is skipped: 40/65",
      ballots: [...times(40, alike), ...times(20, { 0: [2, 0], 2: [1, 0] })],
      part: (40 / 65 - 0.5) / 0.2,
    },
    {
      why: "attention counts",
      ballots: times(12, alike).map((each) => ({ ...each, attention: 0.5 })),
      part: (6 / 11 - 0.5) / 0.2,
    },
    {
      why: "other choices that agree by nine tenths: 36/45",
      ballots: times(40, { 0: [2, 0], 1: [1, 1] }, () => 0.9),
      part: 1,
    },
    {
      why: "by seven tenths: 28/45",
      ballots: times(40, { 0: [2, 0], 1: [1, 1] }, () => 0.7),
      part: (28 / 45 - 0.5) / 0.2,
    },
  ])("$why", ({ ballots, part }) => {
    expect(passing(ballots, 3)[1]).toBeCloseTo(part, 9);
    expect(passing(ballots, 3)[0]).toBe(0);
  });
});

test("dust merges nobody: it passes its own power and is no receiver of what is larger", () => {
  const dust = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [2 + at, [1e-9, 0] as const]));
  const found = findAlike(times(12, { 0: [2, 0], 1: [1, 1], ...dust }), 152, nobody);
  expect(found?.receiverOf[0]).toBe(-1);
  expect(found?.receiverOf[1]).toBe(-1);
  expect(found?.receiverOf[151]).toBe(0);
});

test("labelled entities are never merged, by way of a third neither", () => {
  const votes: Cast = { 0: [4, 0], 1: [3, 0], 2: [2, 0], 3: [1, 0] };
  const isLabelled = (voter: number) => voter === 0 || voter === 2;
  const found = findAlike(times(12, votes), 4, isLabelled);
  expect([...(found?.receiverOf ?? [])]).toStrictEqual([-1, 0, -1, 0]);
});

test("of equals it is the largest, and of equally large ones the same whatever their numbers", () => {
  expect(findAlike(times(12, { 5: [1, 0], 3: [2, 0], 4: [3, 0] }), 6, nobody)?.receiverOf[5]).toBe(0);
  const ranks = (one: number, other: number) => {
    const first = times(6, { [one]: [2, 0], [other]: [1, 0] });
    const then = times(6, { [one]: [1, 0], [other]: [2, 0] });
    const found = findAlike([...first, ...then], 2, nobody);
    return [found?.receiverOf[one], found?.receiverOf[other]];
  };
  expect(ranks(0, 1)).toStrictEqual([-1, 0]);
  expect(ranks(1, 0)).toStrictEqual([-1, 0]);
});

test("only the hundred largest receive", () => {
  const votes = Object.fromEntries(
    Array.from({ length: 102 }, (_, voter) => [voter, [200 - voter, voter < 100 ? voter : 100] as const]),
  );
  const found = findAlike(times(20, votes), 102, nobody);
  expect(found).toBeUndefined();
});

test("one frame after another finds what each alone does", () => {
  const random = seededRandom(7);
  // Groups of three that vote alike and are about as large, half of the groups on each ballot; more voters than may
  // receive. The last one votes at first only.
  const ballots = Array.from({ length: 80 }, (_, at) => {
    const choices = Array.from({ length: 43 }, () => (random() < 0.5 ? Math.floor(3 * random()) : undefined));
    const voters = Array.from({ length: at < 5 ? 130 : 129 }, (__, voter) => voter).filter(
      (voter) => voter === 129 || (choices[voter % 43] !== undefined && random() < 0.95),
    );
    const cast = voters.map((voter) => {
      const choice = random() < 0.05 ? 3 : (choices[voter % 43] ?? 0);
      return [voter, [voter === 129 ? 5000 : (10 + (voter % 43)) * (0.9 + 0.2 * random()), choice]] as const;
    });
    return ballot(Object.fromEntries(cast));
  });
  const votes = collectVoterVotes(ballots, 130);
  const finder = createAlikeFinder(votes, (voter) => voter === 100);
  for (let from = 0; from <= 40; from += 1) {
    const attentions = new Float64Array(80)
      .fill(1, from, from + 40)
      .map((each, at) => each * (at % 7 === 0 ? 0.5 : 1));
    const alone = createAlikeFinder(votes, (voter) => voter === 100)(attentions);
    expect(alone).toBeDefined();
    expect(structuredClone(finder(attentions)), `from ${from}`).toStrictEqual(alone);
  }
});
