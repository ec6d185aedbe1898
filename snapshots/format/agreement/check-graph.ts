import type { DelegationGraph } from "../delegates.ts";
import { GRAPH_ACCOUNTS_MAX } from "../limits.ts";
import { PATHS } from "../paths.ts";
import { weightTierOf } from "../value-sets.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentPart,
  disagreementsAt,
  isAscending,
  unless,
} from "./disagreement.ts";

/** Rounding changes a share by at most 0.005. */
const SHARE_SLACK = 0.005 + 1e-9;

/** Checks that one DAO has at most one delegation graph, that it fits the listing, and that its sums are exact. */
export function checkGraphs({
  spaceId,
  graphs,
  listings,
  asOf,
}: Pick<DocumentPart, "spaceId" | "graphs" | "listings" | "asOf">): readonly Disagreement[] {
  const path = PATHS.graph(spaceId);
  const listing = listings[0]?.latest;
  return graphs.flatMap((graph) => {
    if (listing === undefined) return unless(false, path, "is of a DAO without a listing");
    const rows = listing.delegates.slice(0, GRAPH_ACCOUNTS_MAX);
    const shown = graph.delegates.map(({ votes: _, ...row }) => row);
    return [
      ...disagreementsAt(path, [
        [graph.as_of === null || graph.as_of <= asOf, "is dated after as_of"],
        [graph.fetched_at === listing.fetched_at, "was not fetched together with the listing"],
        [
          graph.totals.delegates === listing.total_delegates,
          "totals.delegates is not the listing's total_delegates",
        ],
        [JSON.stringify(shown) === JSON.stringify(rows), "has other delegates than the listing"],
      ]),
      ...checkGraphSums(path, graph),
    ];
  });
}

/** Checks that the parts of a delegation graph add up to its totals exactly, and that they are in order. */
export function checkGraphSums(path: string, graph: DelegationGraph): readonly Disagreement[] {
  return disagreementsAt(path, [...totalClaims(graph), ...delegationClaims(graph), ...orderClaims(graph)]);
}

type Power = { readonly votes: string | null; readonly votes_share_pct: number | null };

const sumOf = (powers: readonly Pick<Power, "votes">[]): bigint =>
  powers.reduce((sum, { votes }) => sum + BigInt(votes ?? "0"), 0n);

const countOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function isShareOf(total: bigint, { votes, votes_share_pct: share }: Power): boolean {
  if (votes === null || share === null) return votes === share;
  const exact = total === 0n ? 0 : (100 * Number(votes)) / Number(total);
  return Math.abs(exact - share) <= SHARE_SLACK;
}

function totalClaims(graph: DelegationGraph): readonly Claim[] {
  const { delegates, other_delegates: others, totals, delegations, folded_delegations: folded } = graph;
  const total = BigInt(totals.votes);
  const counts = [others, ...delegates].map((delegate) => delegate.delegators_count);
  const votes = sumOf([others, ...delegates]);
  const traced = sumOf([...delegations, ...folded]);
  const powers: readonly Power[] = [...delegates, others, ...delegations, ...folded];
  const isOfTier = delegates.every(
    (delegate) => weightTierOf(BigInt(delegate.votes), total) === delegate.weight_tier,
  );
  return [
    [delegates.every(({ rank }, index) => rank === index + 1), "delegates are not sorted by rank"],
    [isOfTier, "a tier is not that of the votes"],
    [delegates.length + others.delegates === totals.delegates, "delegates do not add up to totals.delegates"],
    [countOf(counts) === totals.delegators, "delegators of delegates do not add up to totals.delegators"],
    [votes === total, "votes of delegates do not add up to totals.votes"],
    [traced === BigInt(totals.traced_votes), "votes of delegators do not add up to traced_votes"],
    [powers.every((power) => isShareOf(total, power)), "a share is not that of the votes"],
  ];
}

function delegationClaims(graph: DelegationGraph): readonly Claim[] {
  const { delegates, other_delegates: others, delegations, folded_delegations: folded } = graph;
  const all = [...delegates, { ...others, rank: null }].map((delegate) => ({
    delegate,
    named: delegations.filter((delegation) => delegation.delegate_rank === delegate.rank),
    rest: folded.filter((fold) => fold.delegate_rank === delegate.rank),
  }));
  const hasAll = all.every(
    ({ delegate, named, rest }) =>
      named.length + countOf(rest.map((fold) => fold.delegators_count)) === delegate.delegators_count,
  );
  const addsUp = all.every(({ delegate, named, rest }) => {
    const known = sumOf([...named, ...rest]);
    const power = BigInt(delegate.votes);
    if (delegate.rank === null) return known <= power;
    const isUnknown = rest.some(({ votes }) => votes === null);
    return isUnknown ? known === 0n && named.length === 0 : known === power || known === 0n;
  });
  const pointed = countOf(all.map(({ named, rest }) => named.length + rest.length));
  return [
    [hasAll, "a delegate does not have as many delegations as delegators"],
    [addsUp, "the delegations of a delegate do not add up to its votes"],
    [delegations.length + folded.length === pointed, "a delegation has no delegate"],
  ];
}

function orderClaims(graph: DelegationGraph): readonly Claim[] {
  const { delegates, delegations, folded_delegations: folded } = graph;
  const addressOf = new Map(delegates.map(({ rank, address }) => [rank, address]));
  const isInOrder = delegations.every((delegation, index) => {
    const before = delegations[index - 1];
    if (before === undefined) return true;
    const [was, is] = [BigInt(before.votes), BigInt(delegation.votes)];
    return was > is || (was === is && before.address < delegation.address);
  });
  const order = folded.map(
    ({ delegate_rank: rank, votes }) => 2 * (rank ?? GRAPH_ACCOUNTS_MAX + 1) + (votes === null ? 1 : 0),
  );
  const isFull = delegations.length === GRAPH_ACCOUNTS_MAX;
  const isSelfTrue = delegations.every(
    ({ address, delegate_rank: rank, is_self: isSelf }) =>
      rank === null || isSelf === (addressOf.get(rank) === address),
  );
  return [
    [allDifferent(delegations.map(({ address }) => address)), "names a delegator twice"],
    [isInOrder, "delegations are not sorted by votes"],
    [isAscending(order), "folded delegations are not sorted by rank without duplicates"],
    [isFull || folded.every(({ votes }) => votes === null), "folds a delegator that should be named"],
    [isSelfTrue, "is_self is wrong"],
  ];
}
