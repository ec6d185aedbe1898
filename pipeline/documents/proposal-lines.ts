import { timestampOf } from "../../snapshots/format/ids.ts";
import {
  MEASURE_COLUMNS,
  type MeasureColumns,
  type ProposalLine,
} from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import { deliberationValue } from "../score/components/deliberation.ts";
import type { ProposalEvidence } from "../score/dao-evidence.ts";
import { sortedSum } from "../score/method/statistics.ts";

const known = <Value>(value: Value | undefined): Value | null => value ?? null;

function timeOf(moment: Pick<Moment, "atMs"> | undefined): string | null {
  return moment === undefined ? null : timestampOf(moment.atMs);
}

/** The mark of a member's deliberation; of others too little is looked at. */
function deliberationOf({ measures, member }: ProposalEvidence): number | undefined {
  return measures && member && deliberationValue({ ...measures, ...member });
}

function columnsOf(proposal: ProposalEvidence): MeasureColumns {
  const { facts, held, measures, ballot, member, diagnostics } = proposal;
  return {
    declared_votes: known(facts.votesCount),
    declared_power: known(facts.scoresTotal),
    fetched_votes: known(held?.fetchedCount),
    fetched_power: known(held?.fetchedPower),
    readable_votes: known(ballot?.readableVotes),
    final_votes: known(ballot?.finalVotes),
    counted_votes: known(ballot?.countedVotes),
    timed_votes: known(ballot?.timedVotes),
    fields_known: known(measures?.fieldsKnown),
    power: known(proposal.power),
    attention: known(proposal.attention),
    has_author: known(measures?.hasAuthor),
    quorum: known(measures?.quorum),
    is_quorum_rejection: known(measures?.isQuorumRejection),
    has_discussion_link: known(measures?.hasDiscussionLink),
    voting_period_days: known(measures?.votingPeriodDays),
    review_delay_days: known(measures?.reviewDelayDays),
    top_choice_share: known(measures?.topChoiceShare),
    rationale_share: known(measures?.rationaleShare),
    elapsed_at_half_power: known(measures?.elapsedAtHalfPower),
    overlapping_votes: known(member?.overlappingVotes),
    batch_votes: known(member?.batchVotes),
    deliberation: known(deliberationOf(proposal)),
    heads: known(member?.heads),
    unclustered_heads: known(member?.unclusteredHeads),
    effective_voters: known(member?.concentration?.effectiveVoters),
    nakamoto: known(member?.concentration?.nakamoto),
    top_share: known(member?.concentration?.topShare),
    whale_share: known(member?.concentration?.whaleShare),
    gini: known(diagnostics?.gini),
    entropy_bits: known(diagnostics?.entropyBits),
    banzhaf_top: known(diagnostics?.banzhafTop),
  };
}

/** One line of `proposals/<space_id>.ndjson`; numbers are not rounded. No title, author, voter or wallet is in it. */
export function buildProposalLine(proposal: ProposalEvidence): ProposalLine {
  const { facts } = proposal;
  return {
    id: facts.proposalId,
    created_at: timeOf(facts.created),
    start_at: timeOf(facts.start),
    end_at: timeOf(facts.end),
    state: known(facts.state),
    scores_state: known(facts.scoresState),
    is_flagged: facts.isFlagged,
    is_deleted: facts.isDeleted,
    unit: proposal.unit,
    place: proposal.place,
    ...columnsOf(proposal),
  };
}

/** How many values of each column are known, and their sum; a yes counts as one. */
export function totalsOf(
  lines: readonly ProposalLine[],
): Record<keyof MeasureColumns, { readonly known: number; readonly sum: number | null }> {
  const entries = MEASURE_COLUMNS.map((column) => {
    const values = lines.flatMap((line) => line[column] ?? []).map(Number);
    const sum = sortedSum(values);
    return [column, { known: values.length, sum: Number.isFinite(sum) ? sum : null }] as const;
  });
  return Object.fromEntries(entries) as ReturnType<typeof totalsOf>;
}
