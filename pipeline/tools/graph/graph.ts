import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { bareGraph } from "../../../snapshots/format/hidden-entities.ts";
import { readGraph, readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseVersion } from "../../home/choose-version.ts";
import { hiddenNamesOf, optedOutOf } from "../../home/opt-outs.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { refuseUnknown } from "../read-explained.ts";

/** `govdata graph`: who delegates to whom in one published DAO, without opted-out entities. Throws `PipelineFailure`. */
export async function runGraph(
  settings: Settings,
  { spaceId, version }: { readonly spaceId: string; readonly version: string | undefined },
  effects: Pick<RunEffects, "progress">,
): Promise<DelegationGraph> {
  const optedOut = optedOutOf(settings, effects);
  const located = await chooseVersion(settings, { version });
  return withStore(() => {
    const graph = readGraph(located, spaceId);
    if (graph !== undefined) return bareGraph(graph, hiddenNamesOf([located], optedOut)(located));
    const documents = readPublishedDocuments(settings.snapshotsDirectory, located.version);
    if (!documents.spaceIds.includes(spaceId)) return refuseUnknown(spaceId, documents);
    throw pipelineFailure("NOT_FOUND", `${spaceId} has no delegation graph in ${located.version}`, {
      hint: "Graphs are made from logs, not from a published list: `govdata fetch --source governor`, or an archive with its logs/, provides them if the registry entry names a token.",
    });
  });
}

const NAMED_MAX = 3;

const percent = (pct: number): string => `${pct.toFixed(2)} %`;

/** Where a delegate's power comes from (`null`: all after the first 100): the largest delegators, then the rest. */
function sourcesOf(graph: DelegationGraph, rank: number | null, isWhole: boolean): string {
  const named = graph.delegations.filter((delegation) => delegation.delegate_rank === rank);
  const folds = graph.folded_delegations.filter((fold) => fold.delegate_rank === rank);
  const rest = [
    ...named.slice(NAMED_MAX).map(({ votes_share_pct: pct }) => ({ count: 1, pct })),
    ...folds.map(({ delegators_count: count, votes_share_pct: pct }) => ({ count, pct })),
  ];
  const known = rest.filter(({ pct }) => pct !== null);
  const [restCount, allCount] = [known, rest].map((rows) => rows.reduce((sum, { count }) => sum + count, 0));
  const restPct = known.reduce((sum, { pct }) => sum + (pct ?? 0), 0);
  const unknownCount = (allCount ?? 0) - (restCount ?? 0);
  return [
    ...named.slice(0, NAMED_MAX).map((delegation) => {
      const name = isWhole ? delegation.address : delegation.display_name;
      const delegator = delegation.is_self && rank !== null ? "itself" : name;
      return `${delegator} ${percent(delegation.votes_share_pct)}`;
    }),
    ...(restCount === 0 ? [] : [`${restCount} more ${percent(restPct)}`]),
    ...(unknownCount === 0 ? [] : [`${unknownCount} whose votes are not in the logs`]),
  ].join(", ");
}

/** The first delegates, and all others in one row if none of the named is left out. */
function rowsOf(graph: DelegationGraph, limit: number, isWhole: boolean) {
  const rows = graph.delegates.slice(0, limit).map((delegate) => ({
    rank: String(delegate.rank),
    address: delegate.address,
    name: delegate.display_name,
    sharePct: delegate.votes_share_pct,
    delegators: delegate.delegators_count,
    from: sourcesOf(graph, delegate.rank, isWhole),
  }));
  const { delegates, votes_share_pct: sharePct, delegators_count: delegators } = graph.other_delegates;
  if (delegates === 0 || graph.delegates.length > limit) return rows;
  const from = sourcesOf(graph, null, isWhole);
  return [...rows, { rank: "", address: "", name: `${delegates} others`, sharePct, delegators, from }];
}

function tracedLine({ totals }: DelegationGraph): string {
  if (totals.votes === "0") return "No power is delegated.";
  if (totals.traced_votes === totals.votes) return "The delegators of all power are known.";
  const pct = Math.min((100 * Number(totals.traced_votes)) / Number(totals.votes), 99.99);
  return `The delegators of ${percent(pct)} of the power are known.`;
}

/** Formats the strongest delegates and their delegators; with whole addresses if stdout is not a terminal. */
export function formatGraph(graph: DelegationGraph, limit: number, columns?: number): string {
  const { totals, block, as_of: asOf, space_id: spaceId } = graph;
  const hidden = graph.delegates.length - limit;
  const isWhole = columns === undefined;
  const table = formatTable(
    rowsOf(graph, limit, isWhole),
    [
      right("rank", ({ rank }) => rank),
      ...(isWhole ? [{ heading: "address", cell: ({ address }: { address: string }) => address }] : []),
      { heading: "delegate", cell: ({ name }) => name },
      right("share %", ({ sharePct }) => sharePct.toFixed(2)),
      right("delegators", ({ delegators }) => String(delegators), "drop"),
      { heading: "from", cell: ({ from }) => from, fit: "spill" },
    ],
    columns,
  );
  return [
    `${spaceId}: ${totals.delegators} delegators, ${totals.delegates} delegates\n`,
    `By the logs up to block ${block}${asOf === null ? "" : `, ${asOf}`}.\n`,
    `${tracedLine(graph)}\n`,
    "A delegator passes on the tokens it holds, not power delegated to it.\n\n",
    table,
    hidden > 0 ? `${hidden} more delegates: --limit, --json\n` : "",
  ].join("");
}
