import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { layOutGraph } from "../graph/graph-layout.ts";
import { graphFlow, graphText, withXmlNames } from "../graph/graph-picture.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import { chart, concentrationCurve, type Studio } from "./charts.ts";
import { folded, foldedTable, nameColumn, numberColumn, type Section, type TableColumn } from "./page.ts";
import type { DaoReport } from "./report-data.ts";

type Delegate = NonNullable<DaoReport["listing"]>["delegates"][number];

const DELEGATE_COLUMNS: readonly TableColumn<Delegate>[] = [
  numberColumn("Rank", ({ rank }) => rank),
  nameColumn(
    "Delegate",
    ({ display_name, address }) => html`<span title="${address}">${display_name}</span>`,
  ),
  numberColumn("Votes", ({ votes_human }) => spell.count(votes_human)),
  numberColumn("Share", (delegate) => `${spell.score(delegate.votes_share_pct)} %`),
  numberColumn("Delegators", (delegate) => spell.count(delegate.delegators_count)),
  { heading: "Tier", of: ({ weight_tier }) => weight_tier },
];

/** The moment of a listing; its logs may carry none. */
function datedBy(
  { fetched_at: fetchedAt }: NonNullable<DaoReport["listing"]>,
  graph: Pick<DelegationGraph, "as_of" | "block"> | undefined,
): string {
  if (graph === undefined) return `, fetched on ${spell.day(fetchedAt)}`;
  if (graph.as_of === null) return ` by block ${spell.count(graph.block)}, whose time is not known`;
  return ` as of ${spell.day(graph.as_of)}`;
}

/** The largest delegates; with all of them that are published also how power adds up. */
export function delegateSection(report: DaoReport, studio: Studio): Section | undefined {
  const { dao, listing, full } = report;
  if (listing === undefined || listing.delegates.length === 0) return undefined;
  const { delegates, summary } = listing;
  const shares = delegates.map((delegate) => delegate.votes_share_pct);
  const together = shares.reduce((sum, share) => sum + share, 0);
  const text = {
    id: "delegate-curve",
    file: `${dao.space_id}/delegates`,
    title: "Delegated power that the largest delegates hold together",
    description: `The first ${delegates.length} hold ${spell.percent(Math.min(together, 100))}.`,
  };
  const hasCurve = full !== undefined && delegates.length > 1;
  return {
    id: "delegates",
    title: "Delegates",
    body: html`<p>${spell.count(listing.total_delegates)} delegates${datedBy(listing, full?.graph)}. Delegates with at least 1 % hold ${spell.percent(summary.t1_voting_power_pct)} of the delegated power; those with less than 0.1 % hold ${spell.percent(summary.t3_voting_power_pct)}.</p>
<div class="pair"><div class="half">${foldedTable(`The ${delegates.length} largest delegates`, delegates, DELEGATE_COLUMNS)}</div>${hasCurve ? html`<div class="half">${concentrationCurve(studio, text, shares)}</div>` : ""}</div>
${graphPart(report, studio)}`,
  };
}

type Flow = Readonly<{
  from: string;
  to: string;
  votes: number | null;
  share: number | null;
}>;

function flowsOf({ delegates, delegations, folded_delegations: others }: DelegationGraph): readonly Flow[] {
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

const orUnknown = (value: number | null, say: (value: number) => string): string =>
  value === null ? "not known" : say(value);

const FLOW_COLUMNS: readonly TableColumn<Flow>[] = [
  nameColumn("Delegator", ({ from }) => from),
  { heading: "Delegates to", of: ({ to }) => to },
  numberColumn("Votes", ({ votes }) => orUnknown(votes, spell.count)),
  numberColumn("Share", ({ share }) => orUnknown(share, (pct) => `${spell.score(pct)} %`)),
];

/** Who delegates to whom, folded: a picture of the largest and a table of all that are named; nothing where only a list is known. */
function graphPart({ dao, full }: DaoReport, studio: Studio): Html {
  if (full?.graph === undefined || full.graph.delegates.length === 0) return html``;
  const graph = withXmlNames(full.graph);
  const layout = layOutGraph(graph);
  const flows = flowsOf(graph);
  const text = { id: "delegation-graph", file: `${dao.space_id}/delegations`, ...graphText(graph, dao.name) };
  return folded(
    "Who delegates to whom",
    html`<p>From the delegation logs up to block ${spell.count(graph.block)}. Delegation is a single step: a delegate cannot pass on the votes that others delegated to it.</p>
${chart(studio, text, flows, (isWide, width) => graphFlow(studio.marks, layout, width, isWide))}
${foldedTable(`The ${graph.delegations.length} largest delegations`, flows, FLOW_COLUMNS)}`,
  );
}
