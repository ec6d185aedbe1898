import type { DelegateListing, DelegationGraph, NamedDelegation } from "../../snapshots/format/delegates.ts";
import { roundTo } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import { walletOf } from "./published-set.ts";

const DECIMALS = 3;
const ONE = 10 ** DECIMALS;

function powerOf(votes: number, total: number) {
  return {
    votes: String(votes),
    votes_human: votes / ONE,
    votes_share_pct: roundTo((100 * votes) / (total || 1), 2),
  };
}

/** The delegators of one delegate, including itself: all have equal power, and the delegate gets the remainder. */
function delegationsTo(row: DelegateListing["delegates"][number], total: number): NamedDelegation[] {
  const votes = Math.round(row.votes_human * ONE);
  const part = Math.floor(votes / row.delegators_count);
  return Array.from({ length: row.delegators_count }, (_, index) => {
    const address = index === 0 ? row.address : walletOf(10_000 * row.rank + index);
    return {
      address,
      display_name: shortAddress(address),
      delegate_rank: row.rank,
      is_self: index === 0,
      ...powerOf(index === 0 ? votes - part * (row.delegators_count - 1) : part, total),
    };
  });
}

/** A graph that fits a listing of few delegates; the delegators of the last one are unknown. */
export function graphOf(listing: DelegateListing, asOf: string): DelegationGraph {
  const { delegates } = listing;
  const total = delegates.reduce((sum, { votes_human }) => sum + Math.round(votes_human * ONE), 0);
  const last = delegates.at(-1);
  const delegations = delegates.slice(0, -1).flatMap((row) => delegationsTo(row, total));
  return {
    space_id: listing.dao,
    as_of: asOf,
    fetched_at: listing.fetched_at,
    block: 19_000_000,
    decimals: DECIMALS,
    totals: {
      delegates: delegates.length,
      delegators: delegates.reduce((sum, row) => sum + row.delegators_count, 0),
      votes: String(total),
      traced_votes: String(total - Math.round((last?.votes_human ?? 0) * ONE)),
    },
    delegates: delegates.map((row) => ({ ...row, votes: String(Math.round(row.votes_human * ONE)) })),
    other_delegates: { delegates: 0, delegators_count: 0, ...powerOf(0, total) },
    delegations: delegations.toSorted(
      (a, b) => Number(b.votes) - Number(a.votes) || (a.address < b.address ? -1 : 1),
    ),
    folded_delegations:
      last === undefined
        ? []
        : [
            {
              delegate_rank: last.rank,
              delegators_count: last.delegators_count,
              votes: null,
              votes_human: null,
              votes_share_pct: null,
            },
          ],
  };
}

/** A set in which `orchard` has a graph. */
export function withGraph(set: PublishedSet): PublishedSet {
  const orchard = set.listings.filter(({ spaceId }) => spaceId === "orchard");
  return { ...set, graphs: orchard.map(({ latest }) => graphOf(latest, set.asOf)) };
}
