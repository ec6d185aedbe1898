import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { INK } from "../drawing.ts";
import { graphFlow, graphText, layOutGraph, withXmlNames } from "../graph/graph-picture.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import { chart, type Studio } from "./charts.ts";
import { column, folded, longTable, type Section } from "./page.ts";
import type { DaoReport } from "./report-data.ts";

/** The moment of a listing; its logs may carry none. */
function datedBy(fetchedAt: string, graph: Pick<DelegationGraph, "as_of" | "block"> | undefined): string {
  if (graph === undefined) return `, fetched on ${spell.day(fetchedAt)}`;
  if (graph.as_of === null) return ` by block ${spell.count(graph.block)}, whose time is not known`;
  return ` as of ${spell.day(graph.as_of)}`;
}

/** How much of the delegated power the largest delegates hold together. */
function concentrationCurve(studio: Studio, spaceId: string, sharesPct: readonly number[]): Html {
  const { marks } = studio;
  let together = 0;
  const points = [0, ...sharesPct].map((share, delegates) => {
    together += share;
    return { delegates, together_pct: together };
  });
  const text = {
    id: "delegate-curve",
    file: `${spaceId}/delegates`,
    title: "Delegated power that the largest delegates hold together",
    description: `The first ${sharesPct.length} hold ${spell.percent(Math.min(together, 100))}.`,
  };
  const quarters = [0, 25, 50, 75, 100];
  return chart(studio, text, points, () => ({
    marginLeft: 44,
    marginRight: 20,
    marginBottom: 40,
    x: {
      label: "delegates, the largest first",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 5,
      tickSize: 0,
    },
    y: {
      domain: [0, 100],
      label: null,
      ticks: quarters,
      tickSize: 0,
      tickFormat: (pct: number) => `${pct} %`,
    },
    marks: [
      marks.gridY(quarters, { stroke: INK.line, strokeOpacity: 1 }),
      marks.areaY(points, { x: "delegates", y: "together_pct", fill: INK.soft }),
      marks.lineY(points, { x: "delegates", y: "together_pct", stroke: INK.accent, strokeWidth: 2 }),
    ],
  }));
}

/** The largest delegates; with all of them that are published also how power adds up. */
export function delegateSection({ dao, listing, full }: DaoReport, studio: Studio): Section | undefined {
  if (listing === undefined || listing.delegates.length === 0) return undefined;
  const { delegates, summary } = listing;
  const shares = delegates.map((delegate) => delegate.votes_share_pct);
  const curve =
    full !== undefined && delegates.length > 1
      ? html`<div class="half">${concentrationCurve(studio, dao.space_id, shares)}</div>`
      : "";
  return {
    id: "delegates",
    title: "Delegates",
    body: html`<p>${spell.count(listing.total_delegates)} delegates${datedBy(listing.fetched_at, full?.graph)}. Delegates with at least 1 % hold ${spell.percent(summary.t1_voting_power_pct)} of the delegated power; those with less than 0.1 % hold ${spell.percent(summary.t3_voting_power_pct)}.</p>
<div class="pair"><div class="half">${longTable(`The ${delegates.length} largest delegates`, delegates, [
      column.number("Rank", ({ rank }) => rank),
      column.name("Delegate", (row) => html`<span title="${row.address}">${row.display_name}</span>`),
      column.number("Votes", (row) => spell.count(row.votes_human)),
      column.number("Share", (row) => `${spell.score(row.votes_share_pct)} %`),
      column.number("Delegators", (row) => spell.count(row.delegators_count)),
      column.text("Tier", (row) => row.weight_tier),
    ])}</div>${curve}</div>
${full?.graph && full.graph.delegates.length > 0 ? whoDelegates(withXmlNames(full.graph), dao, studio) : ""}`,
  };
}

function flowsOf({ delegates, delegations, folded_delegations: others }: DelegationGraph) {
  const names = new Map(delegates.map(({ rank, display_name: name }) => [rank, name]));
  const to = (rank: number | null): string =>
    (rank === null ? undefined : names.get(rank)) ?? "delegates beyond the first 100";
  return [
    ...delegations.map((delegation) => ({
      from: delegation.display_name,
      to: delegation.is_self ? "itself" : to(delegation.delegate_rank),
      votes: delegation.votes_human,
      share: delegation.votes_share_pct,
    })),
    ...others.map((other) => ({
      from: `${spell.count(other.delegators_count)} more`,
      to: to(other.delegate_rank),
      votes: other.votes_human,
      share: other.votes_share_pct,
    })),
  ];
}

/** Who delegates to whom, folded: a picture of the largest and a table of all that are named. */
function whoDelegates(graph: DelegationGraph, { space_id, name }: DaoReport["dao"], studio: Studio): Html {
  const layout = layOutGraph(graph);
  const flows = flowsOf(graph);
  const text = { id: "delegation-graph", file: `${space_id}/delegations`, ...graphText(graph, name) };
  const picture = chart(studio, text, flows, (isWide, width) =>
    graphFlow(studio.marks, layout, width, isWide),
  );
  return folded(
    "Who delegates to whom",
    html`<p>From the delegation logs up to block ${spell.count(graph.block)}. Delegation is a single step: a delegate cannot pass on the votes that others delegated to it.</p>
${picture}
${longTable(`The ${graph.delegations.length} largest delegations`, flows, [
  column.name("Delegator", ({ from }) => from),
  column.text("Delegates to", ({ to }) => to),
  column.number("Votes", ({ votes }) => (votes === null ? "not known" : spell.count(votes))),
  column.number("Share", ({ share }) => (share === null ? "not known" : `${spell.score(share)} %`)),
])}`,
  );
}
