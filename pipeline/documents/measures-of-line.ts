import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import type { MemberOnly, ProposalFacts } from "../score/dao-evidence.ts";
import type { Diagnostics } from "../score/diagnostics/measure-diagnostics.ts";
import type { FrameBallot } from "../score/frame.ts";
import type { BallotMeasures, ProposalMeasures } from "../score/measures.ts";

const found = <Value>(value: Value | null): Value | undefined => value ?? undefined;

/** A line with what decides where its proposal stands. */
export interface ReadLine {
  readonly line: ProposalLine;
  readonly facts: ProposalFacts;
  readonly held: FrameBallot | undefined;
}

function momentOf(at: string | null): Moment | undefined {
  return at === null ? undefined : { atMs: Date.parse(at), precision: "second" };
}

/** Reads what decides where a line's proposal stands. */
export function readLine(line: ProposalLine): ReadLine {
  return {
    line,
    held:
      line.fetched_votes === null
        ? undefined
        : {
            fetchedCount: line.fetched_votes,
            countedCount: line.counted_votes ?? 0,
            fetchedPower: found(line.fetched_power),
          },
    facts: {
      proposalId: line.id,
      created: momentOf(line.created_at),
      start: momentOf(line.start_at),
      end: momentOf(line.end_at),
      state: found(line.state),
      scoresState: found(line.scores_state),
      isFlagged: line.is_flagged,
      isDeleted: line.is_deleted,
      votesCount: found(line.declared_votes),
      scoresTotal: found(line.declared_power),
      strategiesKey: `unit ${line.unit}`,
    },
  };
}

/** What a line says of its proposal. */
export function proposalMeasures({ line, facts }: ReadLine, power: number | undefined): ProposalMeasures {
  return {
    proposalId: line.id,
    endMs: facts.end?.atMs ?? Number.NaN,
    power,
    hasAuthor: line.has_author ?? false,
    quorum: found(line.quorum),
    isQuorumRejection: line.is_quorum_rejection ?? false,
    hasDiscussionLink: found(line.has_discussion_link),
    votingPeriodDays: found(line.voting_period_days),
    reviewDelayDays: found(line.review_delay_days),
    topChoiceShare: found(line.top_choice_share),
    rationaleShare: found(line.rationale_share),
    elapsedAtHalfPower: found(line.elapsed_at_half_power),
    fieldsKnown: line.fields_known ?? 0,
    declaredVotes: found(line.declared_votes),
    declaredPower: found(line.declared_power),
  };
}

/** What it says of its ballot. */
export function ballotMeasures(line: ProposalLine): BallotMeasures {
  return {
    fetchedVotes: line.fetched_votes ?? 0,
    readableVotes: line.readable_votes ?? 0,
    finalVotes: line.final_votes ?? 0,
    fetchedPower: found(line.fetched_power),
    countedVotes: line.counted_votes ?? 0,
    timedVotes: line.timed_votes ?? 0,
  };
}

/** What it says of a member within its frame. */
export function memberOnly(line: ProposalLine): MemberOnly {
  const { effective_voters: effectiveVoters, nakamoto, top_share: topShare, whale_share: whaleShare } = line;
  const isKnown = effectiveVoters !== null && nakamoto !== null && topShare !== null && whaleShare !== null;
  return {
    heads: line.heads ?? 0,
    unclusteredHeads: line.unclustered_heads ?? 0,
    concentration: isKnown ? { effectiveVoters, nakamoto, topShare, whaleShare } : undefined,
    overlappingVotes: line.overlapping_votes ?? 0,
    batchVotes: line.batch_votes ?? 0,
  };
}

/** What is reported of it and never scored. */
export function diagnosticsOf({
  gini,
  entropy_bits: entropyBits,
  banzhaf_top: top,
}: ProposalLine): Diagnostics | undefined {
  return gini === null || entropyBits === null ? undefined : { gini, entropyBits, banzhafTop: found(top) };
}
