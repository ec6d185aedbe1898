import fc from "fast-check";
import { expect, test } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import { countedVotes } from "../../../../pipeline/score/frame/counted-votes.ts";
import { drawFrame, type Frame } from "../../../../pipeline/score/frame/frame.ts";
import { createFrameWindow } from "../../../../pipeline/score/frame/frame-window.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../../support/random-dao.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

/** Counted votes by proposal, each counted once. */
function votesOf(facts: DaoFacts) {
  const counted = new Map(
    [...facts.ballots].map(([proposalId, ballot]) => [proposalId, countedVotes(ballot, (voter) => voter)]),
  );
  return (proposalId: string) => counted.get(proposalId);
}

/** A frame whose attended proposals say nothing of their ballots, as the window hands out one object for both. */
function plain(frame: Frame): unknown {
  const bare = ({ proposal, endMs, power, attention }: Frame["attended"][number]) => ({
    proposal,
    endMs,
    power,
    attention,
  });
  return { ...frame, attended: frame.attended.map(bare), missing: frame.missing.map(bare) };
}

const days = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -2, max: 200 }) },
    { weight: 1, arbitrary: fc.integer({ min: -2, max: 1500 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 90, 180, 180.5, 730) },
  ),
  { minLength: 1, maxLength: 12 },
);

test("a frame that was slid to is the frame that is drawn there, forwards and backwards", () => {
  fc.assert(
    fc.property(randomDaoSpec, days, fc.boolean(), (spec, daysAgo, isInOrder) => {
      const facts = buildRandomDao(spec);
      const counted = votesOf(facts);
      const window = createFrameWindow(facts.proposals, counted);
      for (const ago of isInOrder ? [...daysAgo].sort((a, b) => b - a) : daysAgo) {
        const asOfMs = T - ago * DAY;
        const drawn = drawFrame({ asOfMs, proposals: facts.proposals, votesOf: counted });
        expect(plain(window.at(asOfMs))).toStrictEqual(plain(drawn));
      }
    }),
    SHRINK_LIMITS,
  );
});

test("a proposal whose attention is as before is the same object, and another one where it is not", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 50, scoresTotal: 100 }),
    sampleProposal("b", { endDaysAgo: 40, scoresTotal: 60 }),
    sampleProposal("c", { endDaysAgo: 10, scoresTotal: 300 }),
  ];
  const facts = sampleDao({
    proposals,
    held: proposals.map((each) => sampleProposalVotes(each.proposalId, [{ voter: 1 }])),
  });
  const window = createFrameWindow(facts.proposals, votesOf(facts));
  const [earlier, later, after] = [30, 20, 5].map((ago) => window.at(T - ago * DAY).members);
  expect(later?.[0]).toBe(earlier?.[0]);
  expect(later?.[1]).toBe(earlier?.[1]);
  expect(after?.[0]).not.toBe(later?.[0]);
});

test("between two turns the lists are the same, and a turn that leaves a list as it was leaves the list", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 50, scoresTotal: 100 }),
    sampleProposal("b", { endDaysAgo: 20, scoresTotal: 100 }),
    sampleProposal("junk", { endDaysAgo: 10, scoresTotal: 1 }),
  ];
  const facts = sampleDao({
    proposals,
    held: proposals.map((each) => sampleProposalVotes(each.proposalId, [{ voter: 1 }])),
  });
  const window = createFrameWindow(facts.proposals, votesOf(facts));
  const [before, standing, junk, later] = [15, 12, 5, 4].map((ago) => window.at(T - ago * DAY));
  expect(standing).toStrictEqual({ ...before, asOfMs: T - 12 * DAY });
  for (const list of ["members", "missing", "attended", "held", "excluded"] as const)
    expect(standing?.[list], list).toBe(before?.[list]);
  expect(junk?.members).toBe(before?.members);
  expect(junk?.excluded).not.toBe(before?.excluded);
  expect(later?.excluded).toBe(junk?.excluded);
});
