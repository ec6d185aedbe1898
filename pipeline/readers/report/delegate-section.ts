import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { inBothWidths } from "../drawing.ts";
import { layOutGraph } from "../graph/graph-layout.ts";
import { graphFlow, graphText } from "../graph/graph-picture.ts";
import { type Html, html, spell } from "../html.ts";
import { concentrationCurve, type Studio } from "./charts.ts";
import { foldedTable, htmlTable, nameColumn, numberColumn } from "./page.ts";
import type { DaoReport } from "./report-data.ts";

/** The strongest delegates; with all of them that are published also how power adds up. */
export function delegateSection({ dao, listing, full }: DaoReport, studio: Studio): Html {
  if (listing === undefined || listing.delegates.length === 0) return html``;
  const { delegates, summary } = listing;
  const together = delegates.reduce((sum, each) => sum + each.votes_share_pct, 0);
  const curve =
    full === undefined || delegates.length < 2
      ? html``
      : concentrationCurve(
          studio,
          delegates.map((each) => each.votes_share_pct),
          {
            id: "delegate-curve",
            title: `Delegated power of ${dao.name} that the strongest hold together`,
            description: `The first ${delegates.length} hold ${spell.percent(Math.min(together, 100))}.`,
          },
        );
  return html`<section aria-labelledby="delegates"><h2 id="delegates">Delegates</h2>
<p>${spell.count(listing.total_delegates)} delegates as of ${spell.day(listing.fetched_at)}. Those with at least 1 % each hold ${spell.percent(summary.t1_voting_power_pct)} of the delegated power, those with less than 0.1 % together ${spell.percent(summary.t3_voting_power_pct)}.</p>
${curve}
${htmlTable(`The ${delegates.length} strongest delegates`, delegates, [
  numberColumn("Rank", ({ rank }) => rank),
  nameColumn(
    "Delegate",
    ({ display_name, address }) => html`<span title="${address}">${display_name}</span>`,
  ),
  numberColumn("Votes", ({ votes_human }) => spell.count(votes_human)),
  numberColumn("Share", (each) => `${spell.score(each.votes_share_pct)} %`),
  numberColumn("Delegators", (each) => spell.count(each.delegators_count)),
  { heading: "Tier", of: ({ weight_tier }) => weight_tier },
])}</section>
`;
}

function rowsOf({ delegates, delegations, folded_delegations: folded }: DelegationGraph) {
  const named = (address: string, name: string): Html => html`<span title="${address}">${name}</span>`;
  const byRank = new Map(
    delegates.map(({ rank, address, display_name: name }) => [rank, named(address, name)]),
  );
  const to = (rank: number | null): Html | string =>
    (rank === null ? undefined : byRank.get(rank)) ?? "delegates beyond the first 100";
  return [
    ...delegations.map((each) => ({
      from: named(each.address, each.display_name),
      to: each.is_self ? "itself" : to(each.delegate_rank),
      votes: each.votes_human,
      share: each.votes_share_pct,
    })),
    ...folded.map((each) => ({
      from: `${spell.count(each.delegators_count)} more`,
      to: to(each.delegate_rank),
      votes: each.votes_human,
      share: each.votes_share_pct,
    })),
  ];
}

const orUnknown = (value: number | null, say: (value: number) => string): string =>
  value === null ? "not known" : say(value);

/** Who delegates to whom: a picture of the strongest and a table of all that are named; nothing where only a list is known. */
export function graphSection({ dao, full }: DaoReport, { draw, marks }: Studio): Html {
  const graph = full?.graph;
  if (graph === undefined || graph.delegates.length === 0) return html``;
  const layout = layOutGraph(graph);
  const rows = rowsOf(graph);
  const text = graphText(graph, dao.name);
  return html`<section aria-labelledby="graph"><h2 id="graph">Who delegates to whom</h2>
<p>By the delegation logs up to block ${spell.count(graph.block)}. Delegation is one step: who delegates hands on the votes it holds, never those that others delegated to it.</p>
${inBothWidths(draw, { id: "delegation-graph", ...text }, (width, isWide) => graphFlow(marks, layout, width, isWide))}
${foldedTable(`Delegations, the strongest ${graph.delegations.length} by name`, rows, [
  nameColumn("Delegator", ({ from }) => from),
  { heading: "Delegates to", of: (each) => each.to },
  numberColumn("Votes", ({ votes }) => orUnknown(votes, spell.count)),
  numberColumn("Share", ({ share }) => orUnknown(share, (pct) => `${spell.score(pct)} %`)),
])}</section>
`;
}
