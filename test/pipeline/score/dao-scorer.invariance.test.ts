import fc from "fast-check";
import { expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Moment, Proposal } from "../../../pipeline/facts/proposal.ts";
import type { Choice, ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { createDaoScorer } from "../../../pipeline/score/dao-scorer.ts";
import type { DaoScore } from "../../../pipeline/score/method/dao-score.ts";
import {
  buildRandomDao,
  type RandomDaoSpec,
  randomDaoSpec,
  SHRINK_LIMITS,
} from "../../support/random-dao.ts";
import { DAY, T } from "./sample-facts.ts";

/** Enough to meet every kind of DAO; each is scored twice. */
const RUNS = 25;

const scoreAt = (facts: DaoFacts, atMs: number): DaoScore =>
  createDaoScorer(facts, () => undefined).scoreAt(atMs, true);

/** The same DAO with every proposal and ballot changed alike. */
function changed(
  facts: DaoFacts,
  proposalOf: (proposal: Proposal) => Proposal,
  ballotOf: (ballot: ProposalVotes) => ProposalVotes,
): DaoFacts {
  return {
    ...facts,
    proposals: facts.proposals.map(proposalOf),
    ballots: new Map([...facts.ballots].map(([id, ballot]) => [id, ballotOf(ballot)])),
  };
}

const times = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : value * factor;

function everyDao(check: (facts: DaoFacts) => void): void {
  const build = (spec: RandomDaoSpec): DaoFacts => buildRandomDao(spec);
  fc.assert(
    fc.property(randomDaoSpec, (spec) => check(build(spec))),
    { numRuns: RUNS, ...SHRINK_LIMITS },
  );
}

test("a token that is split changes no bit: 1,024 times the power, and the quorums with it", () => {
  const factor = 1024;
  everyDao((facts) => {
    const split = changed(
      facts,
      (proposal) => ({
        ...proposal,
        scoresTotal: times(proposal.scoresTotal, factor),
        quorum: times(proposal.quorum, factor),
      }),
      (ballot) => ({ ...ballot, powers: ballot.powers.map((power) => power * factor) }),
    );
    const space = facts.space && { ...facts.space, quorum: times(facts.space.quorum, factor) };
    expect(scoreAt({ ...split, space }, T)).toEqual(scoreAt(facts, T));
  });
});

test("the same a hundred days later changes no bit", () => {
  const byMs = 100 * DAY;
  const later = <At extends Moment | undefined>(moment: At): At =>
    (moment === undefined ? undefined : { ...moment, atMs: moment.atMs + byMs }) as At;
  everyDao((facts) => {
    const moved = changed(
      facts,
      (proposal) => ({
        ...proposal,
        created: later(proposal.created),
        start: later(proposal.start),
        end: later(proposal.end),
      }),
      (ballot) => ({ ...ballot, timesS: ballot.timesS.map((timeS) => timeS + byMs / 1000) }),
    );
    const { entities: _, asOfMs: __, ...now } = scoreAt(facts, T);
    const { entities: ___, asOfMs: ____, ...then } = scoreAt(moved, T + byMs);
    expect(then).toEqual(now);
  });
});

test("options in another order change nothing: no score knows what was voted for", () => {
  const swap = (option: number): number => (option === 1 ? 3 : option === 3 ? 1 : option);
  const swapped = (choice: Choice): Choice => {
    if (choice.kind === "single") return { kind: "single", option: swap(choice.option) };
    if (choice.kind === "list") return { kind: "list", options: choice.options.map(swap) };
    if (choice.kind === "weights")
      return { kind: "weights", weights: choice.weights.map(([option, weight]) => [swap(option), weight]) };
    return choice;
  };
  everyDao((facts) => {
    const other = changed(
      facts,
      (proposal) => proposal,
      (ballot) => ({ ...ballot, choices: ballot.choices.map(swapped) }),
    );
    expect(scoreAt(other, T)).toEqual(scoreAt(facts, T));
  });
});

test("titles, names and category change nothing", () => {
  everyDao((facts) => {
    const renamed = changed(
      facts,
      (proposal) => ({ ...proposal, title: "Burn it all" }),
      (ballot) => ballot,
    );
    const dao = { ...facts.dao, name: "Another", category: "social" } as const;
    expect(scoreAt({ ...renamed, dao }, T)).toEqual(scoreAt(facts, T));
  });
});
