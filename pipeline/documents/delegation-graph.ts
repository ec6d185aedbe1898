import type { DelegationGraph, FoldedDelegation, NamedDelegation } from "../../snapshots/format/delegates.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { GRAPH_ACCOUNTS_MAX } from "../../snapshots/format/limits.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import { invariant } from "../facts/errors.ts";
import type { DelegateRanking } from "../score/delegates/rank-delegates.ts";
import type {
  StrongDelegation,
  TracedDelegations,
  WeakDelegations,
} from "../score/delegates/trace-delegations.ts";
import { buildDelegateItems, exactPercent, votesInUnits } from "./delegate-listing.ts";
import type { PublicEntities } from "./entities.ts";
import type { ScoredDao } from "./scored-dao.ts";

type Measure = Pick<DelegateRanking, "total" | "decimals">;

/** Power to the last digit, in whole tokens, and as a share of all that is delegated. */
function powerOf(votes: bigint, { total, decimals }: Measure) {
  return {
    votes: votes.toString(),
    votes_human: votesInUnits(votes, decimals),
    votes_share_pct: exactPercent(votes, total),
  };
}

function namedDelegation(
  { delegator, delegate, delegateRank, votes }: StrongDelegation,
  measure: Measure,
): NamedDelegation {
  return {
    address: delegator,
    display_name: shortAddress(delegator),
    delegate_rank: delegateRank ?? null,
    is_self: delegator === delegate,
    ...powerOf(votes, measure),
  };
}

const UNKNOWN_POWER = { votes: null, votes_human: null, votes_share_pct: null };

function foldedDelegation(
  { delegateRank, delegatorsCount, votes }: WeakDelegations,
  measure: Measure,
): FoldedDelegation {
  return {
    delegate_rank: delegateRank ?? null,
    delegators_count: delegatorsCount,
    ...(votes === undefined ? UNKNOWN_POWER : powerOf(votes, measure)),
  };
}

function graphOf(
  spaceId: string,
  ranking: DelegateRanking,
  { strong, weak, delegatorsCount, tracedVotes }: TracedDelegations,
  entities: PublicEntities,
): DelegationGraph {
  const { delegates, total, decimals, asOfMs, lastBlock } = ranking;
  invariant(lastBlock !== undefined, `${spaceId} has a delegation graph of no block`);
  const first = delegates.slice(0, GRAPH_ACCOUNTS_MAX);
  const others = delegates.slice(GRAPH_ACCOUNTS_MAX);
  const items = buildDelegateItems(first, ranking, entities);
  return {
    space_id: spaceId,
    as_of: asOfMs === undefined ? null : timestampOf(asOfMs),
    fetched_at: timestampOf(ranking.fetchedAtMs),
    block: lastBlock,
    decimals,
    totals: {
      delegates: delegates.length,
      delegators: delegatorsCount,
      votes: total.toString(),
      traced_votes: tracedVotes.toString(),
    },
    delegates: items.map((item, index) => ({ ...item, votes: (first[index]?.votes ?? 0n).toString() })),
    other_delegates: {
      delegates: others.length,
      delegators_count: others.reduce((sum, each) => sum + each.delegatorsCount, 0),
      ...powerOf(
        others.reduce((sum, { votes }) => sum + votes, 0n),
        ranking,
      ),
    },
    delegations: strong.map((each) => namedDelegation(each, ranking)),
    folded_delegations: weak.map((each) => foldedDelegation(each, ranking)),
  };
}

/** `graph/<space_id>.json` of a DAO, scored or not; `undefined` where its latest ranking does not come from logs. */
export function buildDelegationGraph(
  { dao, latestDelegates, delegations }: ScoredDao,
  entities: PublicEntities,
): DelegationGraph | undefined {
  if (delegations === undefined) return undefined;
  invariant(latestDelegates !== undefined, `${dao.spaceId} has delegations without a ranking`);
  return graphOf(dao.spaceId, latestDelegates, delegations, entities);
}
