import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { withoutAddresses } from "./without-addresses.ts";

/** What a proposal's record is made of beside the proposal. */
export interface ProposalSurroundings {
  readonly spaceId: string;
  /** What the version says of it. */
  readonly line: ProposalLine;
  readonly authorIds: { readonly voterId: string; readonly personId: string } | undefined;
  /** `undefined` where its ballot was not fetched. */
  readonly ballotVotesCount: number | undefined;
}

function momentOf(name: string, moment: Moment | undefined): object {
  return { [`${name}_at_ms`]: moment?.atMs, [`${name}_precision`]: moment?.precision };
}

/** One row of `proposals`, by column; what is not there is null. No title: the id leads to it, and it measures nothing. */
export function proposalRecord(
  proposal: Proposal,
  { spaceId, line, authorIds, ballotVotesCount }: ProposalSurroundings,
): object {
  const { strategiesKey } = proposal;
  return {
    space_id: spaceId,
    proposal_id: proposal.proposalId,
    author_id: authorIds?.voterId,
    author_person_id: authorIds?.personId,
    ...momentOf("created", proposal.created),
    ...momentOf("start", proposal.start),
    ...momentOf("end", proposal.end),
    voting_type: proposal.votingType,
    choices_count: proposal.choicesCount,
    discussion: proposal.discussion === undefined ? undefined : withoutAddresses(proposal.discussion),
    quorum: proposal.quorum,
    is_quorum_rejection: proposal.isQuorumRejection,
    state: proposal.state,
    scores_state: proposal.scoresState,
    scores_total: proposal.scoresTotal,
    votes_count: proposal.votesCount,
    strategies_sha256:
      strategiesKey === undefined ? undefined : sha256Hex(Buffer.from(strategiesKey, "utf8")),
    is_shutter: proposal.isShutter,
    is_flagged: proposal.isFlagged,
    is_deleted: proposal.isDeleted,
    ballot_votes_count: ballotVotesCount,
    measured: line,
  };
}
