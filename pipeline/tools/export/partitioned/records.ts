import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import type { DaoSummary, RiskAssessment } from "../../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import type { Ranking } from "../../../../snapshots/format/rankings.ts";
import { concentrationCells } from "../../../documents/columns.ts";
import type { DelegateList, DelegationEvent } from "../../../facts/dao-facts.ts";
import type { Proposal } from "../../../facts/proposal.ts";
import type { ViewedDao } from "../../../warehouse/warehouse-reader.ts";

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

/** The rows of `delegation_events`; amounts as decimal digits, which no engine rounds. */
export function* delegationEventRecords(
  spaceId: string,
  events: readonly DelegationEvent[],
  idOf: (address: string) => string,
): Generator<object> {
  // The zero address means nobody, so it gets no pseudonym.
  const someone = (address: string): string | null => (address === ZERO_ADDRESS ? null : idOf(address));
  for (const event of events) {
    const { blockNumber, logIndex, blockTimeMs, kind } = event;
    yield {
      space_id: spaceId,
      block_number: blockNumber,
      log_index: logIndex,
      block_time_ms: blockTimeMs,
      kind,
      ...(event.kind === "delegate-changed" && { delegator_id: someone(event.delegator) }),
      ...(event.kind === "votes-changed"
        ? {
            delegate_id: someone(event.delegate),
            before_votes: String(event.before),
            after_votes: String(event.after),
          }
        : { from_id: someone(event.from), to_id: someone(event.to) }),
      ...(event.kind === "transfer" && { amount: String(event.amount) }),
    };
  }
}

/**
 * Forty hex digits with the prefix that an address has in a link: nothing, `0x`, or the zeros of a log topic.
 * Longer sequences are hashes of transactions and proposals.
 */
const ADDRESSES = /(?<![0-9a-f])(0x)?(0{24})?[0-9a-f]{40}(?![0-9a-f])/gi;

/** Same length and still hex digits, so that the text stays a link if it was one. */
const MASKED_ADDRESS = "f".repeat(40);

/** Masks addresses in a text: people link to wallets, for example the author's. */
function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, (_, mark = "", zeros = "") => `${mark}${zeros}${MASKED_ADDRESS}`);
}

/** A proposal's row of `proposals`: its facts, missing ones null, and the version's line as `measured_…`. */
export function proposalRecord(proposal: Proposal, line: ProposalLine): object {
  const { created, start, end, strategiesKey, discussion } = proposal;
  const moments = Object.entries({ created, start, end }).flatMap(([name, moment]) => [
    [`${name}_at_ms`, moment?.atMs],
    [`${name}_precision`, moment?.precision],
  ]);
  return {
    ...Object.fromEntries(moments),
    proposal_id: proposal.proposalId,
    title: line.title,
    link: line.link,
    voting_type: proposal.votingType,
    choices_count: proposal.choicesCount,
    discussion: discussion && withoutAddresses(discussion),
    quorum: proposal.quorum,
    is_quorum_rejection: proposal.isQuorumRejection,
    quorum_power: proposal.quorumPower,
    state: proposal.state,
    scores_state: proposal.scoresState,
    scores_total: proposal.scoresTotal,
    votes_count: proposal.votesCount,
    strategies_sha256: strategiesKey && sha256Hex(Buffer.from(strategiesKey, "utf8")),
    is_shutter: proposal.isShutter,
    is_flagged: proposal.isFlagged,
    is_deleted: proposal.isDeleted,
    ...Object.fromEntries(Object.entries(line).map(([name, value]) => [`measured_${name}`, value])),
  };
}

export function spaceRecord(
  { dao, space, fetches, lastCompleteFetchMs, isArchive }: ViewedDao,
  { as_of: asOf, links }: Evidence,
): object {
  const { governor } = dao;
  return {
    space_id: dao.spaceId,
    name: dao.name,
    category: dao.category,
    ...links,
    as_of_ms: Date.parse(asOf),
    is_fetched: lastCompleteFetchMs !== undefined,
    is_archive: isArchive,
    last_complete_fetch_ms: lastCompleteFetchMs,
    source_ids: fetches.map(({ sourceId }) => sourceId).join(","),
    is_proposing_gated: space?.isProposingGated,
    has_fixed_period: space?.hasFixedPeriod,
    quorum: space?.quorum,
    admins_and_moderators_count: space?.adminsAndModeratorsCount,
    is_flagged: space?.isFlagged,
    token_decimals: governor?.decimals,
    is_self_by_default: governor?.isSelfByDefault,
  };
}

export function scoreRecord(
  evidence: Evidence,
  summary: DaoSummary | undefined,
  ranking: Ranking | undefined,
  assessment: RiskAssessment | undefined,
): object {
  const { components, frame, gvs, measures, presence, risk } = evidence;
  const { authors, delegation, fetched_at: fetchedAt } = measures;
  const intervals = Object.entries({ gvs, ...components }).flatMap(([name, { low, point, high }]) => [
    [name, point],
    [`${name}_low`, low],
    [`${name}_high`, high],
  ]);
  return {
    ...evidence,
    ...frame,
    ...risk,
    ...Object.fromEntries(intervals),
    as_of_ms: Date.parse(evidence.as_of),
    presence_low: presence.low,
    presence_high: presence.high,
    risk_score: risk?.point,
    risk_low: risk?.low,
    risk_high: risk?.high,
    risk_base: risk?.base,
    risk_dominance_floor: risk?.dominance_floor,
    risk_level: assessment?.risk_level,
    risk_trend: assessment?.trend,
    data_completeness_pct: evidence.completeness_pct,
    frame_weight: frame.weight,
    ...concentrationCells(evidence.concentration),
    fetched_at_ms: fetchedAt && Date.parse(fetchedAt),
    author_weight: authors.sum,
    author_weight_squares: authors.of_proposals,
    author_sum_squares: authors.of_authors,
    active_voters: measures.active_voters,
    delegation_hhi_points: delegation?.hhi_points,
    delegation_as_of_ms: delegation && Date.parse(delegation.as_of),
    rank: summary?.rank,
    rank_best: ranking?.best,
    rank_worst: ranking?.worst,
    delta_24h: summary?.delta_24h,
  };
}
