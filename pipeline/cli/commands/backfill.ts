import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import type { BackfilledDao } from "../../stages/backfill.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { parseDay } from "../options/parse-options.ts";

function formatBackfilled(daos: readonly BackfilledDao[]): string {
  return formatTable(daos, [
    { heading: "space", cell: (dao) => dao.spaceId },
    right("days", ({ days }) => String(days)),
    right("scored", ({ scored }) => String(scored)),
    right("changed", ({ changed }) => String(changed)),
  ]);
}

export const backfillCommand = command({
  name: "backfill",
  description: "score past days again with the data held now; the next publish shows them",
  example: "govdata backfill aave.eth --from 2024-01-01 --to 2024-12-31",
  takes: (made) =>
    made
      .argument("[space...]", "DAOs to score (default: all of the registry)")
      .requiredOption("--from <day>", "first day")
      .requiredOption("--to <day>", "last day, at least a week ago"),
  async run(
    { settings, effects, nowMs }: CommandContext,
    spaceIds: string[],
    flags: { from: string; to: string },
  ) {
    const days = { from: parseDay("--from", flags.from), to: parseDay("--to", flags.to) };
    const { runBackfill } = await import("../../stages/backfill.ts");
    return runBackfill(settings, { ...days, spaceIds, nowMs: nowMs() }, effects);
  },
  text: formatBackfilled,
});
