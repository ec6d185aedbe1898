import { expect, test } from "vitest";
import type { Agreement } from "../../../../pipeline/score/alike/agreement.ts";
import { collectVoterVotes, createVoteComparer } from "../../../../pipeline/score/alike/voter-votes.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";

/** A ballot of two equal voters; −1 is who did not vote. */
function ballot(choices: readonly [one: number, other: number], agreement?: Agreement): Ballot {
  const voters = Int32Array.from([0, 1].filter((voter) => (choices[voter] ?? -1) >= 0));
  const shares = new Float64Array(voters.length).fill(1 / voters.length);
  return {
    voters,
    shares,
    choices: Uint32Array.from(voters, (voter) => choices[voter] ?? 0),
    agreement,
    ascending: shares,
    capped: cappedShares(shares, shares),
    validPower: voters.length,
    knownCount: voters.length,
    fetchedCount: voters.length,
  };
}

test.each([
  { why: "the same", choices: [1, 1], atMost: 1, same: 1, both: 1 },
  { why: "the last bits differ", choices: [0, 1], atMost: 0, same: 0, both: 1 },
  { why: "the second bits differ", choices: [0, 2], atMost: 0, same: 0, both: 1 },
  { why: "only later bits differ", choices: [1, 5], atMost: 1, same: 0, both: 1 },
  { why: "the first choice and no vote", choices: [0, -1], atMost: 0, same: 0, both: 0 },
  { why: "no vote and the first choice", choices: [-1, 0], atMost: 0, same: 0, both: 0 },
] as const)("$why, on one ballot and on seventy", ({ choices, atMost, same, both }) => {
  for (const count of [1, 32, 33, 70]) {
    // One before the frame and one after it, which do not count.
    const ballots = Array.from({ length: count + 2 }, () => ballot(choices));
    const attentions = new Float64Array(count + 2).fill(0.5, 1, count + 1);
    const comparer = createVoteComparer(collectVoterVotes(ballots, 2), -1);
    comparer.startFrame(attentions);
    expect(comparer.sameAtMost(0, 1)).toBe(count * atMost);
    expect(comparer.compare(0, 1)).toStrictEqual({ same: (count * same) / 2, both: (count * both) / 2 });
    // The next frame is another.
    comparer.startFrame(attentions.map(() => 1));
    expect(comparer.sameAtMost(0, 1)).toBe((count + 2) * atMost);
    expect(comparer.compare(1, 0)).toStrictEqual({ same: (count + 2) * same, both: (count + 2) * both });
  }
});

test("different choices that agree in part count with that part, and may be as many as all", () => {
  const graded = (count: number) => Array.from({ length: count }, () => ballot([0, 3], () => 0.25));
  const comparer = createVoteComparer(collectVoterVotes([...graded(40), ballot([0, 3])], 2), -1);
  comparer.startFrame(new Float64Array(41).fill(0.5));
  expect(comparer.sameAtMost(0, 1)).toBe(40);
  expect(comparer.compare(0, 1)).toStrictEqual({ same: 40 * 0.5 * 0.25, both: 41 * 0.5 });
  expect(comparer.compare(1, 0)).toStrictEqual(comparer.compare(0, 1));
});

test("only voters of more votes than asked for are compared, ascending", () => {
  const votes = collectVoterVotes([ballot([0, 0]), ballot([0, -1]), ballot([0, 1])], 3);
  expect([...createVoteComparer(votes, 1).voters]).toStrictEqual([0, 1]);
  expect([...createVoteComparer(votes, 2).voters]).toStrictEqual([0]);
  expect([...createVoteComparer(votes, 3).voters]).toStrictEqual([]);
});
