import fc from "fast-check";
import { expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { scoreSample, T } from "./sample-facts.ts";

/** A permutation of 0..19 and far larger numbers, from a seed. */
function renumbering(seed: number): (voter: number) => number {
  const order = Array.from({ length: 20 }, (_, index) => index).sort(
    (a, b) => (((a + 1) * (seed + 7919)) % 104729) - (((b + 1) * (seed + 7919)) % 104729),
  );
  return (voter) => (order[voter] ?? voter) * 1000 + seed;
}

const measured = (facts: DaoFacts) => createDaoMeasurer(facts, () => undefined).measureAt(T);

test("order of arrival and the numbers of voters change no bit", () => {
  let merged = 0;
  fc.assert(
    fc.property(randomDaoSpec, fc.nat(5000), (spec, seed) => {
      const facts = buildRandomDao(spec);
      const other = buildRandomDao(spec, { numberOf: renumbering(seed), isReversed: true });
      expect(measured(other)).toStrictEqual(measured(facts));
      const pairs = measured(facts).proposals.map(({ marks }) => marks.effective ?? [0, 0]);
      merged += pairs.filter(([low, high]) => low < high).length;
    }),
    SHRINK_LIMITS,
  );
  // How many depends on the seed (11 were seen); none would mean that the property says nothing of merging.
  expect(merged, "the generator must make wallets that vote alike").toBeGreaterThan(0);
});

test("what entities are called changes nothing", () => {
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const other = buildRandomDao(spec, { entityIdOf: (entity) => `z${9 - entity}` });
      expect(measured(other)).toStrictEqual(measured(buildRandomDao(spec)));
    }),
    { numRuns: 40, ...SHRINK_LIMITS },
  );
});

test("untimed votes change not_batch alone", () => {
  const untimed = (votes: ProposalVotes): ProposalVotes => ({
    ...votes,
    timesS: votes.timesS.map(() => 0),
    flags: votes.flags.map((flags) => flags & ~VOTE_FLAGS.timeKnown),
  });
  fc.assert(
    fc.property(randomDaoSpec, (spec) => {
      const facts = buildRandomDao(spec);
      const ballots = new Map([...facts.ballots].map(([id, votes]) => [id, untimed(votes)]));
      const strip = ({ proposals, ...rest }: ReturnType<typeof measured>) => ({
        ...rest,
        proposals: proposals.map(({ marks: { not_batch: _, ...marks }, ...line }) => ({ ...line, marks })),
      });
      const found = measured({ ...facts, ballots });
      expect(strip(found)).toStrictEqual(strip(measured(facts)));
      for (const { marks } of found.proposals)
        if (marks.not_batch) expect(marks.not_batch).toStrictEqual([0, 1]);
      expect(scoreSample({ ...facts, ballots }).risk?.checkpointVotingPct ?? 0).toBe(0);
    }),
    { numRuns: 60, ...SHRINK_LIMITS },
  );
});
