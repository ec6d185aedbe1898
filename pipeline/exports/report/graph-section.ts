import type { DelegationGraph } from "../../../snapshots/format/delegation-graph.ts";
import type { Studio } from "./charts.ts";
import { inBothWidths } from "./drawing.ts";
import { graphFlow } from "./graph-flow.ts";
import { layOutGraph } from "./graph-layout.ts";
import { graphText } from "./graph-words.ts";
import { type Html, html } from "./html.ts";
import type { DaoReport } from "./report-data.ts";
import { spell } from "./spell.ts";
import { foldedTable } from "./table.ts";

interface Row {
  readonly from: Html | string;
  readonly to: Html | string;
  readonly votes: number | null;
  readonly share: number | null;
}

function rowsOf({ delegates, delegations, folded_delegations: folded }: DelegationGraph): readonly Row[] {
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
${foldedTable(
  `Delegations, the strongest ${graph.delegations.length} by name`,
  [
    { heading: "Delegator", of: ({ from }) => from, isRowName: true },
    { heading: "Delegates to", of: (each) => each.to },
    { heading: "Votes", of: ({ votes }) => orUnknown(votes, spell.count), isNumber: true },
    {
      heading: "Share",
      of: ({ share }) => orUnknown(share, (pct) => `${spell.score(pct)} %`),
      isNumber: true,
    },
  ],
  rows,
)}</section>
`;
}
