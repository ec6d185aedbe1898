import type { DelegateListing, DelegationGraph } from "../delegates.ts";
import { GRAPH_ACCOUNTS_MAX } from "../limits.ts";
import { PATHS } from "../paths.ts";
import { weightTierOf } from "../value-sets.ts";
import { allDifferent, type Disagreement, type DocumentSet, unless } from "./disagreement.ts";

/** A share is rounded by at most .005. */
const SHARE_SLACK = 0.005 + 1e-9;

type Power = { readonly votes: string | null; readonly votes_share_pct: number | null };

const sumOf = (votes: readonly (string | null)[]): bigint =>
  votes.reduce((sum, each) => sum + BigInt(each ?? "0"), 0n);

const countOf = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

function isShareOf(total: bigint, { votes, votes_share_pct: share }: Power): boolean {
  if (votes === null || share === null) return votes === share;
  const exact = total === 0n ? 0 : (100 * Number(votes)) / Number(total);
  return Math.abs(exact - share) <= SHARE_SLACK;
}

/** What is said of delegates adds up to the totals. */
function checkTotals(path: string, graph: DelegationGraph): readonly Disagreement[] {
  const { delegates, other_delegates: others, totals, delegations, folded_delegations: folded } = graph;
  const total = BigInt(totals.votes);
  const counts = [others, ...delegates].map((each) => each.delegators_count);
  const powers: readonly Power[] = [...delegates, others, ...delegations, ...folded];
  return [
    ...unless(
      delegates.every(({ rank }, place) => rank === place + 1),
      path,
      "delegates are not in the order of their ranks",
    ),
    ...unless(
      delegates.every(({ votes, weight_tier: tier }) => weightTierOf(BigInt(votes), total) === tier),
      path,
      "a tier is not that of the votes",
    ),
    ...unless(delegates.length + others.delegates === totals.delegates, path, "loses delegates"),
    ...unless(countOf(counts) === totals.delegators, path, "delegators of delegates are not their total"),
    ...unless(
      sumOf([others, ...delegates].map(({ votes }) => votes)) === total,
      path,
      "votes of delegates are not their total",
    ),
    ...unless(
      sumOf([...delegations, ...folded].map(({ votes }) => votes)) === BigInt(totals.traced_votes),
      path,
      "votes of delegators are not traced_votes",
    ),
    ...unless(
      powers.every((each) => isShareOf(total, each)),
      path,
      "a share is not that of the votes",
    ),
  ];
}

/** The delegations of each delegate are as many as it has, and hold what it has or are not known. */
function checkDelegations(path: string, graph: DelegationGraph): readonly Disagreement[] {
  const { delegates, other_delegates: others, delegations, folded_delegations: folded } = graph;
  const of = (rank: number | null) => ({
    named: delegations.filter((each) => each.delegate_rank === rank),
    rest: folded.filter((each) => each.delegate_rank === rank),
  });
  const all = [...delegates, { ...others, rank: null }].map((delegate) => ({
    delegate,
    ...of(delegate.rank),
  }));
  const unknownOf = (rest: readonly { readonly votes: string | null }[]) =>
    rest.filter(({ votes }) => votes === null).length;
  return [
    ...unless(
      all.every(
        ({ delegate, named, rest }) =>
          named.length + countOf(rest.map((each) => each.delegators_count)) === delegate.delegators_count,
      ),
      path,
      "does not hold as many delegations as a delegate has delegators",
    ),
    ...unless(
      all.every(({ delegate, named, rest }) => {
        const known = sumOf([...named, ...rest].map(({ votes }) => votes));
        const power = BigInt(delegate.votes);
        if (delegate.rank === null) return known <= power;
        return unknownOf(rest) > 0 ? known === 0n && named.length === 0 : known === power || known === 0n;
      }),
      path,
      "the delegations of a delegate do not add up to its votes",
    ),
    ...unless(
      delegations.length + folded.length ===
        countOf(all.map(({ named, rest }) => named.length + rest.length)),
      path,
      "a delegation points at nobody",
    ),
  ];
}

/** Delegators are named once each, the strongest first, and none is folded before the hundredth is named. */
function checkOrder(path: string, graph: DelegationGraph): readonly Disagreement[] {
  const { delegates, delegations, folded_delegations: folded } = graph;
  const addressOf = new Map(delegates.map(({ rank, address }) => [rank, address]));
  const isInOrder = delegations.every((each, place) => {
    const before = delegations[place - 1];
    if (before === undefined) return true;
    const [was, is] = [BigInt(before.votes), BigInt(each.votes)];
    return was > is || (was === is && before.address < each.address);
  });
  const order = folded.map(
    ({ delegate_rank: rank, votes }) => 2 * (rank ?? GRAPH_ACCOUNTS_MAX + 1) + (votes === null ? 1 : 0),
  );
  return [
    ...unless(allDifferent(delegations.map(({ address }) => address)), path, "names a delegator twice"),
    ...unless(isInOrder, path, "more votes stand behind fewer"),
    ...unless(
      order.every((each, place) => place === 0 || (order[place - 1] ?? each) < each),
      path,
      "folded delegations are not in the order of ranks, each once",
    ),
    ...unless(
      delegations.length === GRAPH_ACCOUNTS_MAX || folded.every(({ votes }) => votes === null),
      path,
      "folds a delegator that should be named",
    ),
    ...unless(
      delegations.every(
        ({ address, delegate_rank: rank, is_self: isSelf }) =>
          rank === null || isSelf === (addressOf.get(rank) === address),
      ),
      path,
      "is_self is not told of who delegates to itself",
    ),
  ];
}

/** What a delegation graph says of itself: its parts add up to its totals to the last digit, in their order. */
export function checkGraphSums(path: string, graph: DelegationGraph): readonly Disagreement[] {
  return [...checkTotals(path, graph), ...checkDelegations(path, graph), ...checkOrder(path, graph)];
}

/** Its delegates are the rows of the listing. */
function checkRows(path: string, graph: DelegationGraph, listing: DelegateListing): readonly Disagreement[] {
  const { delegates, totals } = graph;
  const rows = listing.delegates.slice(0, GRAPH_ACCOUNTS_MAX);
  const shown = delegates.map(({ votes: _, ...row }) => row);
  return [
    ...unless(graph.fetched_at === listing.fetched_at, path, "was not fetched when the listing was"),
    ...unless(totals.delegates === listing.total_delegates, path, "does not count total_delegates"),
    ...unless(JSON.stringify(shown) === JSON.stringify(rows), path, "has other delegates than the listing"),
  ];
}

/** Delegation graphs: at most one a DAO, each of a listing, its parts adding up to its totals to the last digit. */
export function checkGraphs({ graphs, listings, asOf }: DocumentSet): readonly Disagreement[] {
  const listingOf = new Map(listings.map(({ spaceId, latest }) => [spaceId, latest]));
  return [
    ...unless(allDifferent(graphs.map((graph) => graph.space_id)), "graph", "a DAO has two graphs"),
    ...graphs.flatMap((graph) => {
      const path = PATHS.graph(graph.space_id);
      const listing = listingOf.get(graph.space_id);
      if (listing === undefined) return unless(false, path, "is of a DAO without a listing");
      return [
        ...unless(graph.as_of === null || graph.as_of <= asOf, path, "is of a moment after as_of"),
        ...checkRows(path, graph, listing),
        ...checkGraphSums(path, graph),
      ];
    }),
  ];
}
