import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { LISTING_ROWS_PER_CUT } from "../../../snapshots/format/limits.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseWhole } from "../../cli/options/parse-options.ts";
import { versionOption } from "../tool-options.ts";

interface GraphFlags {
  readonly version?: string;
  readonly limit: string;
  readonly svg?: boolean;
}

/** `govdata graph SPACE --version V --limit N --svg` */
export const graphCommand = command({
  name: "graph",
  description: "print who delegates to whom in a DAO, and how much power",
  example: "govdata graph nouns.eth --limit 5\n  govdata graph nouns.eth --svg > graph.svg",
  takes: (made) =>
    made
      .argument("<space>")
      .addOption(versionOption())
      .option("--limit <n>", "number of delegates", "20")
      .option("--svg", "print a picture of the strongest delegations instead"),
  async run({ settings, effects, columns }: CommandContext, spaceId: string, flags: GraphFlags) {
    const limit = parseWhole("--limit", flags.limit, 1, LISTING_ROWS_PER_CUT);
    const { runGraph } = await import("./graph.ts");
    const graph = await runGraph(settings, { spaceId, version: flags.version }, effects);
    if (flags.svg !== true) {
      return { graph, text: formatGraph(graph, limit, columns) };
    }
    const { graphPicture } = await import("./graph-picture.ts");
    return { graph, text: await graphPicture(graph) };
  },
  text: ({ text }) => text,
  json: ({ graph }) => graph,
});

/** Delegators named in a delegate's row. */
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
function formatGraph(graph: DelegationGraph, limit: number, columns?: number): string {
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
