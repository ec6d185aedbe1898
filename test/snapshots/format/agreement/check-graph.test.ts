import { describe, expect, it } from "vitest";
import { checkGraphs } from "../../../../snapshots/format/agreement/check-graph.ts";
import { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import type { PublishedSet } from "../../../../snapshots/format/published-set.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { partsOf } from "../../../support/parts-of.ts";
import { publishedSet } from "../../../support/published-set.ts";

const set = withGraph(publishedSet());
const graph = set.graphs[0]!;
const [first, second] = graph.delegations;
const { totals } = graph;

const said = (changed: Partial<PublishedSet>): string[] =>
  partsOf({ ...set, ...changed })
    .flatMap(checkGraphs)
    .map(({ message }) => message);

const saidOf = (change: Partial<DelegationGraph>): string[] => {
  const changed = { ...graph, ...change };
  // Each of these lies has the shape; only what is said beside it gives it away.
  expect(DelegationGraph.safeParse(changed).success).toBe(true);
  return said({ graphs: [changed] });
};

const named = (change: Partial<DelegationGraph["delegations"][number]>) => ({
  delegations: graph.delegations.map((delegation) =>
    delegation === first ? { ...delegation, ...change } : delegation,
  ),
});

const plus = (votes: string): string => (BigInt(votes) + 1n).toString();

describe("checkGraphs", () => {
  it("has nothing to say of a graph that adds up, nor of a version without any", () => {
    expect(said({})).toEqual([]);
    expect(said({ graphs: [] })).toEqual([]);
  });

  it.each<{ why: string; change: Partial<DelegationGraph>; says: string }>([
    {
      why: "the future",
      change: { as_of: "2026-04-01T00:00:00.000Z" },
      says: "is dated after as_of",
    },
    {
      why: "another fetch",
      change: { fetched_at: "2026-03-01T00:00:00.000Z" },
      says: "was not fetched together with the listing",
    },
    {
      why: "a name that the listing has not",
      change: {
        delegates: graph.delegates.map((row) => ({ ...row, ens: "x.example", display_name: "x.example" })),
      },
      says: "has other delegates than the listing",
    },
    {
      why: "a missing delegate",
      change: { delegates: graph.delegates.slice(0, -1) },
      says: "has other delegates than the listing",
    },
    {
      why: "a delegate too many",
      change: { totals: { ...totals, delegates: totals.delegates + 1 } },
      says: "totals.delegates is not the listing's total_delegates",
    },
    {
      why: "one of the others too many",
      change: { other_delegates: { ...graph.other_delegates, delegates: 1 } },
      says: "delegates do not add up to totals.delegates",
    },
    {
      why: "a delegator too many",
      change: { totals: { ...totals, delegators: totals.delegators + 1 } },
      says: "delegators of delegates do not add up to totals.delegators",
    },
    {
      why: "the last digit of the total",
      change: { totals: { ...totals, votes: plus(totals.votes) } },
      says: "votes of delegates do not add up to totals.votes",
    },
    {
      why: "the last digit of what is traced",
      change: { totals: { ...totals, traced_votes: plus(totals.traced_votes) } },
      says: "votes of delegators do not add up to traced_votes",
    },
    {
      why: "the last digit of a delegation",
      change: named({ votes: plus(first!.votes) }),
      says: "the delegations of a delegate do not add up to its votes",
    },
    {
      why: "a share of something else",
      change: named({ votes_share_pct: first!.votes_share_pct + 1 }),
      says: "a share is not that of the votes",
    },
    {
      why: "a delegation of another delegate",
      change: named({ delegate_rank: 2 }),
      says: "a delegate does not have as many delegations as delegators",
    },
    {
      why: "a delegation to nobody",
      change: named({ delegate_rank: 99 }),
      says: "a delegation has no delegate",
    },
    {
      why: "a delegator twice",
      change: {
        delegations: graph.delegations.map((delegation) => ({
          ...delegation,
          address: first!.address,
          display_name: first!.display_name,
        })),
      },
      says: "names a delegator twice",
    },
    {
      why: "the weaker first",
      change: { delegations: graph.delegations.toReversed() },
      says: "delegations are not sorted by votes",
    },
    {
      why: "equals in another order than their addresses",
      change: {
        delegations: graph.delegations.map((delegation) =>
          delegation === second ? first! : delegation === first ? second! : delegation,
        ),
      },
      says: "delegations are not sorted by votes",
    },
    {
      why: "itself, where it is somebody else",
      change: named({ is_self: !first!.is_self }),
      says: "is_self is wrong",
    },
    {
      why: "known power folded while there is room",
      change: {
        folded_delegations: graph.folded_delegations.map((delegation) => ({
          ...delegation,
          votes: graph.delegates[3]!.votes,
          votes_human: graph.delegates[3]!.votes_human,
          votes_share_pct: graph.delegates[3]!.votes_share_pct,
        })),
        totals: { ...totals, traced_votes: totals.votes },
      },
      says: "folds a delegator that should be named",
    },
    {
      why: "one fold in two",
      change: {
        folded_delegations: graph.folded_delegations.flatMap((delegation) => [delegation, delegation]),
      },
      says: "folded delegations are not sorted by rank without duplicates",
    },
    {
      why: "votes without a share",
      change: {
        folded_delegations: graph.folded_delegations.map((delegation) => ({ ...delegation, votes: "0" })),
      },
      says: "a share is not that of the votes",
    },
  ])("finds $why", ({ change, says }) => {
    expect(saidOf(change)).toContain(`graph/orchard.json: ${says}`);
  });

  it("finds a tier that is not that of the votes", () => {
    const rows = graph.delegates.map((row) => ({ ...row, weight_tier: "T2" as const }));
    expect(saidOf({ delegates: rows })).toContain("graph/orchard.json: a tier is not that of the votes");
  });

  it("finds one of a DAO without a listing", () => {
    expect(said({ listings: [] })).toEqual(["graph/orchard.json: is of a DAO without a listing"]);
  });
});
