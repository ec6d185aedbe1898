import type { Command } from "commander";
import { type BackfilledDao, runBackfill } from "../../stages/backfill.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { parseDay } from "../options/parse-options.ts";
import { formatTable } from "../terminal/table.ts";

function formatBackfilled(daos: readonly BackfilledDao[]): string {
  return formatTable<BackfilledDao>(
    [
      { heading: "space", of: (dao) => dao.spaceId },
      { heading: "days", of: ({ days }) => String(days), align: "right" },
      { heading: "scored", of: ({ scored }) => String(scored), align: "right" },
      { heading: "changed", of: ({ changed }) => String(changed), align: "right" },
    ],
    daos,
  );
}

/** `govdata backfill [space...] --from D --to D` */
export function backfillCommand(process: ProcessContext): Command {
  return describedCommand(
    "backfill",
    "score past days again from what is held now; the next publish shows them",
    "govdata backfill aave.eth --from 2024-01-01 --to 2024-12-31",
  )
    .argument("[space...]", "DAOs to score (default: all of the registry)")
    .requiredOption("--from <day>", "first day")
    .requiredOption("--to <day>", "last day; at least a week ago")
    .action(async (spaceIds: string[], flags: { from: string; to: string }, self: Command) => {
      const context = contextOf(self, process);
      const daos = await runBackfill(
        context.settings,
        {
          from: parseDay("--from", flags.from),
          to: parseDay("--to", flags.to),
          spaceIds,
          nowMs: process.nowMs(),
        },
        context.effects,
      );
      context.print(formatBackfilled(daos), daos);
    });
}
