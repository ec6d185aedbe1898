import type { DelegateListing } from "../delegates.ts";
import type { DelegationGraph } from "../delegation-graph.ts";
import { GRAPH_ACCOUNTS_MAX } from "../limits.ts";
import { PATHS } from "../paths.ts";
import { allDifferent, type Disagreement, unless } from "./disagreement.ts";
import type { DocumentSet } from "./document-set.ts";
import { checkGraphSums } from "./graph-sums.ts";

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
