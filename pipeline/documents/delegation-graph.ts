import type { DelegationGraph } from "../../snapshots/format/delegates.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { GRAPH_ACCOUNTS_MAX } from "../../snapshots/format/limits.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import { invariant } from "../facts/errors.ts";
import type { DelegateRanking } from "../score/delegates/rank-delegates.ts";
import { buildDelegateItems, exactPercent, votesInUnits } from "./delegate-listing.ts";
import type { PublicEntities } from "./entities.ts";
import { nullableTime, type ScoredDao } from "./scored-dao.ts";

const UNKNOWN_POWER = { votes: null, votes_human: null, votes_share_pct: null };

/** Builds `graph/<space_id>.json` of a DAO, scored or not; `undefined` if its latest ranking is not from logs. */
export function buildDelegationGraph(
  { dao: { spaceId }, latestDelegates: ranking, delegations }: ScoredDao,
  entities: PublicEntities,
): DelegationGraph | undefined {
  if (delegations === undefined) return undefined;
  invariant(ranking !== undefined, `${spaceId} has delegations without a ranking`);
  const { delegates, total, decimals, asOfMs, lastBlock } = ranking;
  invariant(lastBlock !== undefined, `${spaceId} has a delegation graph without a block`);
  const first = delegates.slice(0, GRAPH_ACCOUNTS_MAX);
  const others = delegates.slice(GRAPH_ACCOUNTS_MAX);
  const othersVotes = others.reduce((sum, { votes }) => sum + votes, 0n);
  const items = buildDelegateItems(first, ranking, entities);
  return {
    space_id: spaceId,
    as_of: nullableTime(asOfMs),
    fetched_at: timestampOf(ranking.fetchedAtMs),
    block: lastBlock,
    decimals,
    totals: {
      delegates: delegates.length,
      delegators: delegations.delegatorsCount,
      votes: total.toString(),
      traced_votes: delegations.tracedVotes.toString(),
    },
    delegates: items.map((item, index) => ({ ...item, votes: (first[index]?.votes ?? 0n).toString() })),
    other_delegates: {
      delegates: others.length,
      delegators_count: others.reduce((sum, other) => sum + other.delegatorsCount, 0),
      ...powerOf(othersVotes, ranking),
    },
    delegations: delegations.strong.map(({ delegator, delegate, delegateRank, votes }) => ({
      address: delegator,
      display_name: shortAddress(delegator),
      delegate_rank: delegateRank ?? null,
      is_self: delegator === delegate,
      ...powerOf(votes, ranking),
    })),
    folded_delegations: delegations.weak.map(({ delegateRank, delegatorsCount, votes }) => ({
      delegate_rank: delegateRank ?? null,
      delegators_count: delegatorsCount,
      ...(votes === undefined ? UNKNOWN_POWER : powerOf(votes, ranking)),
    })),
  };
}

/** Power as exact digits, in whole tokens, and as a share of all delegated power. */
function powerOf(votes: bigint, { total, decimals }: DelegateRanking) {
  return {
    votes: votes.toString(),
    votes_human: votesInUnits(votes, decimals),
    votes_share_pct: exactPercent(votes, total),
  };
}
