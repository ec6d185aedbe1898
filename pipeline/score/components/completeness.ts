import type { DaoFacts } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type Ballot, fetchedPowerOf } from "../frame/ballot.ts";
import { type DaoMeasures, weightAt } from "../method/measures.ts";

/** What a proposal should be known by; a day counts as known. */
const FIELDS = [
  "author",
  "created",
  "start",
  "end",
  "votingType",
  "choicesCount",
  "discussion",
  "scoresTotal",
  "votesCount",
] as const satisfies readonly (keyof Proposal)[];

/** φ: the part (0–1) of the fields that completeness looks at which are known of a proposal. */
export function fieldsShareOf(proposal: Proposal): number {
  return FIELDS.filter((field) => proposal[field] !== undefined).length / FIELDS.length;
}

/**
 * r: the part (0–1) of a ballot's power that was fetched. Where no total is declared, the votes whose power is known,
 * of those that were fetched or declared, whichever are more.
 */
export function fetchedShareOf(
  { scoresTotal, votesCount }: Pick<Proposal, "scoresTotal" | "votesCount">,
  ballot: Pick<Ballot, "validPower" | "knownCount" | "fetchedCount"> | undefined,
): number {
  if (ballot === undefined || ballot.validPower === 0) return 0;
  if (scoresTotal !== undefined) return Math.min(1, ballot.validPower / scoresTotal);
  return ballot.knownCount / Math.max(ballot.fetchedCount, votesCount ?? 0);
}

/**
 * Data completeness: how much of what the source says exists did we see?
 *
 * Range: 0..100 percent.
 * Unit: proposals of the frame by weight; half for the power fetched, half for the fields known.
 * Source: `r` and `φ` of each proposal.
 * Unknown: `undefined` without a frame.
 */
export function completenessPct({ proposals, asOfMs }: DaoMeasures): number | undefined {
  let known = 0;
  let weights = 0;
  for (const proposal of proposals) {
    const weight = weightAt(proposal, asOfMs);
    known += weight * (0.5 * proposal.fetchedShare + 0.5 * proposal.fieldsShare);
    weights += weight;
  }
  return weights > 0 ? (100 * known) / weights : undefined;
}

/** A relative difference up to which two sums of the same powers are equal: what rounding leaves in a float of 15 digits and thousands of terms. */
const EQUAL_WITHIN = 1e-6;

/** Where what was fetched is not what the source itself declares. */
export interface Reconciliation {
  /** Proposals whose power does not add up to the declared total, of those that have both. By (end, id). */
  readonly powerDiffers: readonly string[];
  readonly powerCompared: number;
  /** Proposals with more or fewer voters than declared, of those that have both. */
  readonly votersDiffer: readonly string[];
  readonly votersCompared: number;
  /** Proposals that are said to have votes of which none was fetched. */
  readonly ballotsMissing: readonly string[];
}

/** Compares every fetched ballot with its source's own counts; invalid and dust votes are part of both. */
export function reconcile(facts: DaoFacts): Reconciliation {
  const powerDiffers: string[] = [];
  const votersDiffer: string[] = [];
  const ballotsMissing: string[] = [];
  let powerCompared = 0;
  let votersCompared = 0;
  for (const { proposalId, scoresTotal, votesCount } of facts.proposals) {
    const ballot = facts.ballots.get(proposalId);
    if (ballot === undefined || ballot.count === 0) {
      if ((votesCount ?? 0) > 0) ballotsMissing.push(proposalId);
      continue;
    }
    if (votesCount !== undefined) {
      votersCompared += 1;
      if (votesCount !== ballot.count) votersDiffer.push(proposalId);
    }
    const fetchedPower = scoresTotal === undefined ? undefined : fetchedPowerOf(ballot);
    if (scoresTotal === undefined || fetchedPower === undefined) continue;
    powerCompared += 1;
    const difference = Math.abs(fetchedPower - scoresTotal);
    if (!(difference <= EQUAL_WITHIN * Math.abs(scoresTotal))) powerDiffers.push(proposalId);
  }
  return { powerDiffers, powerCompared, votersDiffer, votersCompared, ballotsMissing };
}
