import { Option } from "commander";
import { type IndexMove, runIndexMoves, sumOfMoves } from "../../readers/compare/index-moves.ts";
import { type Shown, showDocument } from "../../readers/show/show.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { formatChange } from "../terminal/numbers.ts";
import { formatTable, pairs, right, wrap } from "../terminal/table.ts";

const STEPS = ["day", "month"] as const;

interface DgiFlags {
  readonly moves?: (typeof STEPS)[number];
}

/** Days summed up if no moves are requested. */
const DAYS_SUMMED = 30;

/** `govdata show dgi --moves day|month` */
export const showDgiCommand = command({
  name: "dgi",
  description: "print the Decentralized Governance Index",
  details:
    "With --moves it prints how much of each move came from its members' scores, from their weights, and from new or lost members.",
  example: "govdata show dgi --moves month",
  takes: (made) =>
    made.addOption(new Option("--moves <step>", "what moved the index, by day or by month").choices(STEPS)),
  async run({ settings }: CommandContext, { moves: by }: DgiFlags) {
    const moves = await runIndexMoves(settings, by ?? "day");
    return by === undefined ? { dgi: await showDocument(settings, "dgi", "current"), moves } : { moves };
  },
  text: ({ dgi, moves }) => (dgi === undefined ? formatMoves(moves) : formatDgi(dgi, moves)),
  json: ({ dgi, moves }) => dgi ?? moves,
});

function formatDgi(dgi: Shown<"dgi">, moves: readonly IndexMove[]): string {
  const lately = sumOfMoves(moves.slice(-DAYS_SUMMED));
  const document = pairs([
    ["dgi", `${dgi.composite.toFixed(2)}  over ${dgi.dao_count} DAOs`],
    ...Object.entries(dgi.components).map(([key, value]) => [key, value.toFixed(2)] as const),
    ["as of", dgi.calculated_at],
  ]);
  if (lately === undefined) return document;
  const { from, to, before, after, scores, weights, members } = lately;
  const moved = `Moved by ${formatChange(after - before)} from ${from} to ${to}: ${formatChange(scores)} by scores of its members, ${formatChange(weights)} by their weights, ${formatChange(members)} by new or lost members.`;
  return `${document}\n${wrap(moved)}`;
}

function formatMoves(moves: readonly IndexMove[]): string {
  return formatTable(moves, [
    { heading: "from", of: ({ from }) => from },
    { heading: "to", of: ({ to }) => to },
    right("dgi", ({ after }) => after.toFixed(2)),
    right("move", ({ before, after }) => formatChange(after - before)),
    right("scores", ({ scores }) => formatChange(scores)),
    right("weights", ({ weights }) => formatChange(weights)),
    right("members", ({ members }) => formatChange(members)),
    right("rounding", ({ rounding }) => formatChange(rounding)),
  ]);
}
