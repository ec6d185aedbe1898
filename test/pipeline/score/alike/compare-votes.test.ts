import { expect, test } from "vitest";
import { createVoteComparer } from "../../../../pipeline/score/alike/compare-votes.ts";
import { type Ballot, cappedShares } from "../../../../pipeline/score/frame/ballot.ts";
import { collectVoterVotes } from "../../../../pipeline/score/frame/voter-votes.ts";

/** A ballot of equal voters: 0 is the giver, 1 the largest; −1 is who did not vote. */
function ballot(choices: readonly [giver: number, largest: number]): Ballot {
  const voters = Int32Array.from([0, 1].filter((voter) => (choices[voter] ?? -1) >= 0));
  const shares = new Float64Array(voters.length).fill(1 / voters.length);
  return {
    voters,
    shares,
    choices: Uint32Array.from(voters, (voter) => choices[voter] ?? 0),
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
    const comparer = createVoteComparer(collectVoterVotes(ballots, 2), attentions, [1]);
    comparer.load(0);
    expect(comparer.sameAtMost(0)).toBe(count * atMost);
    expect(comparer.compareWith(0)).toStrictEqual({ same: (count * same) / 2, both: (count * both) / 2 });
  }
});
