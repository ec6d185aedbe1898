import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import {
  crowdOn,
  factsOf,
  honestDao,
  type OpenProposal,
  ownProposals,
  sealed,
  splitWhale,
} from "./attacked-dao.ts";
import { type SampleVote, scoreSample } from "./sample-facts.ts";
import { seededNumbers } from "./seeded-numbers.ts";

const honest = honestDao(1);
const before = scoreSample(factsOf(honest));
const moved = (attacked: readonly OpenProposal[]) => {
  const { gvs, risk } = scoreSample(factsOf(attacked));
  return {
    gvs: Math.abs(gvs.point - before.gvs.point),
    low: gvs.low - before.gvs.low,
    risk: Math.abs((risk?.score.point ?? 0) - (before.risk?.score.point ?? 0)),
  };
};
/** Each proposal with more votes on it, of a part of the power it had. */
const joined = (
  votesOf: (proposal: Proposal, total: number, random: () => number) => SampleVote[],
): OpenProposal[] => {
  const random = seededNumbers(99);
  return honest.map(({ proposal, votes }) =>
    sealed(proposal, [...votes, ...votesOf(proposal, proposal.scoresTotal ?? 0, random)]),
  );
};

describe("what costs almost no power moves no score", () => {
  test.each([
    {
      why: "300 junk proposals with 50 wallets each",
      bound: 0.0005,
      attacked: () => [
        ...honest,
        ...ownProposals(300, 5, (proposal, random) =>
          crowdOn(proposal, random, { count: 50, power: 1, isBurst: true }),
        ),
      ],
    },
    {
      why: "15 wallets at a millionth with reasons",
      bound: 0.002,
      attacked: () =>
        joined((proposal, total, random) =>
          crowdOn(proposal, random, { count: 15, power: total * 1e-6, isBurst: false }),
        ),
    },
    {
      why: "50 in one burst",
      bound: 0.002,
      attacked: () =>
        joined((proposal, total, random) =>
          crowdOn(proposal, random, { count: 50, power: total * 1e-6, isBurst: true }),
        ),
    },
    {
      why: "1,000 wallets at a billionth",
      bound: 0.001,
      attacked: () =>
        joined((proposal, total, random) =>
          crowdOn(proposal, random, { count: 1000, power: total * 1e-9, isBurst: true }),
        ),
    },
    {
      why: "one minimal vote more",
      bound: 0.0005,
      attacked: () => joined((_, total) => [{ voter: 99_999, power: total * 1e-9 }]),
    },
    {
      why: "1,000 wallets at a millionth: a thousandth of the power",
      bound: 0.03,
      attacked: () =>
        joined((proposal, total, random) =>
          crowdOn(proposal, random, { count: 1000, power: total * 1e-6, isBurst: true }).map((vote) => ({
            ...vote,
            reason: false,
          })),
        ),
    },
  ])("$why", ({ bound, attacked }) => {
    const { gvs, risk } = moved(attacked());
    expect(gvs).toBeLessThan(bound);
    expect(risk).toBeLessThan(0.1);
  });
});

test("a whale split in ten lifts the high end and not the low one", () => {
  // Without reasons, as ten wallets with one each weigh more in the rationale than a single one; and with a whale of its
  // own mind, as the piece that gathers the others would pass part of them on to a larger voter it agrees with.
  const silent = honest.map(({ proposal, votes }) => ({
    proposal,
    votes: votes.map((vote) => ({
      ...vote,
      reason: false,
      choice: vote.voter === 0 ? 3 : (vote.choice ?? 1),
    })),
  }));
  const whole = scoreSample(factsOf(silent)).gvs;
  for (const everyS of [0, 61]) {
    const split = scoreSample(factsOf(splitWhale(silent, 0, everyS))).gvs;
    expect(Math.abs(split.low - whole.low)).toBeLessThan(0.01);
    expect(split.high - whole.high).toBeGreaterThan(0.01);
    expect(split.point - whole.point).toBeLessThan(0.4);
  }
});
