import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Coordination,
  createHumansWindow,
  type Humans,
  mergeVoters,
} from "../../../../pipeline/score/coordination/humans.ts";
import type { CountedVotes } from "../../../../pipeline/score/frame/counted-votes.ts";
import { SHRINK_LIMITS } from "../../../support/random-dao.ts";
import { plainLinks, timedVotesOf } from "../plain-coordination.ts";
import { everyoneAlone, type SampleVote, sampleVotes } from "../sample-facts.ts";
import { seededNumbers } from "../seeded-numbers.ts";

const WEEK_S = 7 * 86_400;

/** A crowd that votes on every proposal, each at its own time of the week, two thirds for option 1. */
function crowd(count: number, random: () => number, from = 1000): SampleVote[] {
  return Array.from({ length: count }, (_, index) => ({
    voter: from + index,
    atMs: Math.floor(random() * WEEK_S) * 1000,
    choice: random() < 2 / 3 ? 1 : 2,
  }));
}

/** Voters 0..count−1, same choice, one each so many seconds. */
function farm(count: number, atS: number, everyS: number, choice = 1): SampleVote[] {
  return Array.from({ length: count }, (_, voter) => ({
    voter,
    atMs: (atS + voter * everyS) * 1000,
    choice,
  }));
}

const humansIn = (ballots: readonly CountedVotes[]): Humans => {
  const voters = Math.max(0, ...ballots.flatMap((votes) => [...votes.voters.map((voter) => voter + 1)]));
  return createHumansWindow(everyoneAlone(voters)).at(ballots.map((votes, order) => ({ order, votes })));
};

const find = (ballots: readonly (readonly SampleVote[])[]): Humans =>
  humansIn(ballots.map((votes, index) => sampleVotes(votes, `p${index}`)));

/** What was found, its links made now. */
const foundIn = ({ coordination: { isAssessed, links } }: Humans): Coordination => ({ isAssessed, links });

/** Sizes of the clusters that links make of the voters, largest first; those alone left out. */
function sizes({ humanOfVoter }: Humans): number[] {
  const counts = new Map<number, number>();
  for (const head of humanOfVoter) counts.set(head, (counts.get(head) ?? 0) + 1);
  return [...counts.values()].filter((size) => size > 1).sort((a, b) => b - a);
}

describe("a farm of twelve among two hundred", () => {
  const among = (proposals: number, farmOf: (index: number) => SampleVote[]) => {
    const random = seededNumbers(7);
    return find(Array.from({ length: proposals }, (_, index) => [...crowd(200, random), ...farmOf(index)]));
  };

  test.each([
    {
      why: "high: six proposals in a minute, voting as most do",
      proposals: 6,
      everyS: 2,
      choice: 1,
      expected: [12],
    },
    {
      why: "boundary: three proposals are enough, voting as few do",
      proposals: 3,
      everyS: 2,
      choice: 3,
      expected: [12],
    },
    { why: "three are not enough, voting as most do", proposals: 3, everyS: 2, choice: 1, expected: [] },
    { why: "gap: two proposals cannot be tested", proposals: 2, everyS: 2, choice: 3, expected: [] },
    { why: "low: one each two minutes is not seen", proposals: 6, everyS: 120, choice: 3, expected: [] },
  ])("$why", ({ proposals, everyS, choice, expected }) => {
    const found = among(proposals, (index) => farm(12, 5000 * (index + 1), everyS, choice));
    expect(sizes(found)).toStrictEqual(expected);
  });

  test("coincidences on fewer than half of the common proposals link nobody", () => {
    const together = (index: number) => index < 4;
    const found = among(9, (index) => farm(12, 5000 * (index + 1), together(index) ? 2 : 300, 3));
    expect(sizes(found)).toStrictEqual([]);
    const half = among(8, (index) => farm(12, 5000 * (index + 1), together(index) ? 2 : 300, 3));
    expect(sizes(half)).toStrictEqual([12]);
  });

  test("another choice is no coincidence", () => {
    const found = among(5, (index) =>
      farm(12, 5000 * (index + 1), 2).map((vote) => ({ ...vote, choice: 10 + vote.voter })),
    );
    expect(sizes(found)).toStrictEqual([]);
  });

  test("of two windows the fuller one tells how likely a coincidence was", () => {
    // One votes alone, the other a minute later, in the middle of twenty: they meet by chance.
    const crowdedEnd = (early: number, late: number) =>
      among(5, (index) => {
        const atMs = 5_000_000 * (index + 1);
        const others = Array.from({ length: 20 }, (_, other) => ({
          voter: 300 + ((other * 7 + index * 31) % 600),
          atMs: atMs + 100_000,
          choice: 2,
        }));
        return [{ voter: early, atMs }, { voter: late, atMs: atMs + 60_000 }, ...others];
      });
    expect(sizes(crowdedEnd(1, 2))).toStrictEqual([]);
    expect(sizes(crowdedEnd(2, 1))).toStrictEqual([]);
  });

  test("a minute is sixty seconds, both ends counted", () => {
    const pair = (gap: number) => among(6, (index) => farm(2, 5000 * (index + 1), gap, 3));
    expect(sizes(pair(60))).toStrictEqual([2]);
    expect(sizes(pair(61))).toStrictEqual([]);
  });
});

describe("bursts", () => {
  // Everybody in the same second, far from anybody else, for an option of his own: pairs that always agree.
  const burst = (voters: number) => {
    const random = seededNumbers(3);
    return find(
      Array.from({ length: 6 }, () => [...farm(voters, 2 * WEEK_S, 0, 3), ...crowd(2000, random, 5000)]),
    );
  };

  test("boundary: 256 others in the window are evidence", () => {
    expect(sizes(burst(257))).toStrictEqual([257]);
  });

  test("a window of more carries none", () => {
    expect(foundIn(burst(258))).toStrictEqual({ isAssessed: true, links: [] });
  });
});

describe("what can be assessed", () => {
  const timed = (count: number, total: number): SampleVote[] =>
    Array.from({ length: total }, (_, voter) => ({ voter, atMs: voter < count ? voter * 1000 : undefined }));
  test.each([
    { why: "nothing", ballots: [], isAssessed: false },
    { why: "two proposals", ballots: [timed(4, 4), timed(4, 4)], isAssessed: false },
    {
      why: "boundary: three, half of the votes timed",
      ballots: [timed(2, 4), timed(2, 4), timed(2, 4)],
      isAssessed: true,
    },
    { why: "fewer than half", ballots: [timed(2, 4), timed(2, 4), timed(1, 4)], isAssessed: false },
    {
      why: "three, but one of them without a time",
      ballots: [timed(4, 4), timed(4, 4), timed(0, 1)],
      isAssessed: false,
    },
    { why: "three, but nobody on one of them", ballots: [timed(4, 4), timed(4, 4), []], isAssessed: false },
    { why: "days are no times", ballots: [1, 2, 3].map(() => [{ voter: 0, dayMs: 5 }]), isAssessed: false },
  ])("$why", ({ ballots, isAssessed }) => {
    expect(foundIn(find(ballots))).toStrictEqual({ isAssessed, links: [] });
  });
});

test("independent votes give no link in twenty shuffles", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = seededNumbers(seed);
    // 150 voters of whom each votes on two thirds of 12 proposals, mornings far more than nights.
    const ballots = Array.from({ length: 12 }, () =>
      crowd(150, random, 0)
        .filter(() => random() < 2 / 3)
        .map((vote) => ({ ...vote, atMs: Math.floor(((vote.atMs ?? 0) * random()) / 1000) * 1000 })),
    );
    expect(foundIn(find(ballots)).links, `seed ${seed}`).toStrictEqual([]);
  }
});

test("a plain quadratic reading finds the same links", () => {
  const ballot = fc.array(
    fc.record({
      voter: fc.nat(24),
      cell: fc.nat(40),
      choice: fc.constantFrom(1, 1, 2, 3),
      isTimed: fc.boolean(),
    }),
    { maxLength: 40, size: "max" },
  );
  let linked = 0;
  fc.assert(
    fc.property(fc.array(ballot, { minLength: 3, maxLength: 9 }), fc.nat(4), (ballots, pairs) => {
      const counted = ballots.map((rows, index) => {
        const votes = new Map(
          rows.map(({ voter, cell, choice, isTimed }) => [
            voter,
            { voter, atMs: isTimed || cell % 5 > 0 ? 5_000_000 + cell * 47_000 : undefined, choice },
          ]),
        );
        for (let even = 0; even < pairs * 2; even += 2) {
          const leader = votes.get(even);
          if (leader !== undefined) votes.set(even + 1, { ...leader, voter: even + 1 });
        }
        return sampleVotes([...votes.values()], `p${index}`);
      });
      const found = foundIn(humansIn(counted));
      if (!found.isAssessed) return;
      linked += found.links.length;
      expect(found.links.map(([a, b]) => `${a}-${b}`).sort()).toStrictEqual(
        plainLinks(counted.map(timedVotesOf)),
      );
    }),
    { numRuns: 200, ...SHRINK_LIMITS },
  );
  expect(linked, "the random ballots must hold links").toBeGreaterThan(10);
});

test("human-equivalents: entities and links are joined, named by the smallest voter", () => {
  const entityHeads = Int32Array.from([0, 1, 1, 3, 4, 5]);
  const links = [
    [2, 4],
    [4, 5],
  ] as const;
  const found = mergeVoters(entityHeads, (join) => {
    for (const [voter, partner] of links) join(voter, partner);
  });
  expect([...found]).toStrictEqual([0, 1, 1, 3, 1, 1]);
  expect(mergeVoters(entityHeads, () => {})).toBe(entityHeads);
});
