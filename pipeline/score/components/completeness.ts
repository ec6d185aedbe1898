import type { DaoFacts } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type Ballot, fetchedPowerOf } from "../frame/ballot.ts";
import { type DaoMeasures, weightAt } from "../method/measures.ts";

/** The fields that should be known of a proposal; a time known to the day counts as known. */
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

/** φ: the part (0–1) of `FIELDS` that is known of a proposal. */
export function fieldsShareOf(proposal: Proposal): number {
  return FIELDS.filter((field) => proposal[field] !== undefined).length / FIELDS.length;
}

/**
 * r: the part (0–1) of a ballot's power that was fetched. Without a declared total: the votes of known power, divided
 * by the number of fetched or of declared votes, whichever is larger.
 */
export function fetchedShareOf(
  { scoresTotal, votesCount }: Pick<Proposal, "scoresTotal" | "votesCount">,
  ballot: Pick<Ballot, "validPower" | "knownCount" | "fetchedCount"> | undefined,
): number {
  if (ballot === undefined || ballot.validPower === 0) return 0;
  if (scoresTotal !== undefined) return Math.min(1, ballot.validPower / scoresTotal);
  return ballot.knownCount / Math.max(ballot.fetchedCount, votesCount ?? 0);
}

/** The part (0–1) of a ballot's votes that was fetched, of known power or not. */
export function votesShareOf({ votesCount }: Pick<Proposal, "votesCount">, votes: number): number {
  return votes === 0 ? 0 : votes / Math.max(votes, votesCount ?? 0);
}

/**
 * Data completeness: how much of what exists according to the source was fetched?
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

/** Relative difference up to which two sums count as equal; covers the rounding of thousands of doubles. */
export const EQUAL_WITHIN = 1e-6;

/** Differences between fetched votes and what the source declares. */
export interface Reconciliation {
  /** Proposals whose fetched power differs from the declared total, by (end, id). */
  readonly powerDiffers: readonly string[];
  readonly powerCompared: number;
  /** Proposals with more or fewer voters than declared. */
  readonly votersDiffer: readonly string[];
  readonly votersCompared: number;
  /** Ended proposals with declared votes, none of which was fetched. */
  readonly ballotsMissing: readonly string[];
}

/**
 * Compares every fetched ballot with the counts of its source as of `asOfMs`; both include invalid and dust votes. Votes on
 * a proposal that is still open are fetched when it has ended, so none of them is missing.
 */
export function reconcile(facts: DaoFacts, asOfMs: number): Reconciliation {
  const powerDiffers: string[] = [];
  const votersDiffer: string[] = [];
  const ballotsMissing: string[] = [];
  let powerCompared = 0;
  let votersCompared = 0;
  for (const { proposalId, scoresTotal, votesCount, end } of facts.proposals) {
    const ballot = facts.ballots.get(proposalId);
    if (ballot === undefined || ballot.count === 0) {
      const isOpen = end !== undefined && end.atMs > asOfMs;
      if ((votesCount ?? 0) > 0 && !isOpen) ballotsMissing.push(proposalId);
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
