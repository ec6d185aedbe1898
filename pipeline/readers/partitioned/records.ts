import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import type { DelegateList, DelegationEvent } from "../../facts/delegation.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import type { PublishedDao } from "./published-dao.ts";

/** The rows of `delegate_lists`; power as decimal digits, which no engine rounds. */
export function* delegateListRecords(
  lists: readonly DelegateList[],
  idOf: (address: string) => string,
): Generator<object> {
  for (const { spaceId, date, asOfMs, isComplete, decimals, fetchedAtMs, delegates } of lists) {
    for (const { address, votes, delegatorsCount } of delegates) {
      yield {
        space_id: spaceId,
        date,
        as_of_ms: asOfMs,
        is_complete: isComplete,
        decimals,
        fetched_at_ms: fetchedAtMs,
        account_id: idOf(address),
        votes: String(votes),
        delegators_count: delegatorsCount,
      };
    }
  }
}

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** One row of `delegation_events`; amounts as decimal digits, which no engine rounds. */
export function delegationEventRecord(
  spaceId: string,
  event: DelegationEvent,
  idOf: (address: string) => string,
): object {
  const { blockNumber, logIndex, blockTimeMs, kind } = event;
  const about = {
    space_id: spaceId,
    block_number: blockNumber,
    log_index: logIndex,
    block_time_ms: blockTimeMs,
    kind,
  };
  // The zero address is nobody: a pseudonym would make somebody of it.
  const someone = (address: string): string | null => (address === ZERO_ADDRESS ? null : idOf(address));
  switch (event.kind) {
    case "delegate-changed":
      return {
        ...about,
        delegator_id: someone(event.delegator),
        from_id: someone(event.from),
        to_id: someone(event.to),
      };
    case "votes-changed":
      return {
        ...about,
        delegate_id: someone(event.delegate),
        before_votes: String(event.before),
        after_votes: String(event.after),
      };
    case "transfer":
      return {
        ...about,
        from_id: someone(event.from),
        to_id: someone(event.to),
        amount: String(event.amount),
      };
  }
}

/**
 * Forty hex digits in a row, with what marks an address in a link: nothing, `0x`, or the zeros before one in a log. Longer
 * rows are hashes of transactions and proposals.
 */
const ADDRESSES = /(?<![0-9a-f])(0x)?(0{24})?[0-9a-f]{40}(?![0-9a-f])/gi;

/** As long and as much a number as what it stands for, so that whether a text is a link stays what it was. */
const MASKED_ADDRESS = "f".repeat(40);

/** A text in which nobody's address stands any more: people do link to wallets, as to that of the author. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, (_, mark = "", zeros = "") => `${mark}${zeros}${MASKED_ADDRESS}`);
}

/** What a proposal's record is made of beside the proposal. */
export interface ProposalSurroundings {
  readonly spaceId: string;
  /** What the version says of it. */
  readonly line: ProposalLine;
  readonly authorIds: { readonly voterId: string; readonly personId: string } | undefined;
  /** `undefined` where its ballot was not fetched. */
  readonly fetchedVotesCount: number | undefined;
}

function momentOf(name: string, moment: Moment | undefined): object {
  return { [`${name}_at_ms`]: moment?.atMs, [`${name}_precision`]: moment?.precision };
}

/** One row of `proposals`, by column; what is not there is null. No title: the id leads to it, and it measures nothing. */
export function proposalRecord(
  proposal: Proposal,
  { spaceId, line, authorIds, fetchedVotesCount }: ProposalSurroundings,
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
    ballot_votes_count: fetchedVotesCount,
    measured: line,
  };
}

/** The row of `scores` of one DAO. */
export function scoreRecord({
  evidence,
  summary,
  assessment,
}: Pick<PublishedDao, "evidence" | "summary" | "assessment">): object {
  const { delegation } = evidence.measures;
  return {
    ...evidence,
    as_of_ms: Date.parse(evidence.as_of),
    delegation_as_of_ms: delegation === null ? null : Date.parse(delegation.as_of),
    completenessParts: Object.fromEntries(evidence.completeness.parts.map(({ id, value }) => [id, value])),
    assessment,
    summary,
  };
}

/** The rows of `indicators` of one DAO. */
export function* indicatorRecords({ space_id, components }: Evidence): Generator<object> {
  for (const component of COMPONENT_KEYS) {
    for (const indicator of components[component].indicators) yield { space_id, component, ...indicator };
  }
}
