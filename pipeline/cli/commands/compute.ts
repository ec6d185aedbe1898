import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import type { ComputeResult } from "../../stages/compute.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { type AsOfFlags, asOfMsOf, parseDay } from "../options/parse-options.ts";
import { SETTINGS } from "../options/settings.ts";

type ComputedDao = ComputeResult["daos"][number];

const completeness = ({ completenessPct }: ComputedDao): string => completenessPct?.toFixed(1) ?? "-";

const open = ({ unscored, notKnown }: ComputedDao): string =>
  [...(unscored === undefined ? [] : [unscored]), ...notKnown].join(", ");

function formatComputed(result: ComputeResult, { columns }: CommandContext): string {
  const table = formatTable(
    result.daos,
    [
      { heading: "space", cell: (dao) => dao.spaceId },
      right(
        "gvs",
        ({ gvs: { low, point, high }, unscored }) =>
          `${unscored === undefined ? point.toFixed(2) : "-"} [${low.toFixed(2)}-${high.toFixed(2)}]`,
      ),
      ...COMPONENT_KEYS.map((key) =>
        right(key, ({ components }: ComputedDao) => components[key].point.toFixed(2)),
      ),
      right("risk", ({ risk, unscored }) => (risk && unscored === undefined ? risk.point.toFixed(1) : "-")),
      right("known", (dao) => `${Math.round(100 * dao.knownShare)} %`, "drop"),
      right("complete", completeness, "drop"),
      { heading: "not known", cell: open, fit: "spill" },
    ],
    columns,
  );
  const findings = result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}\n`);
  return `as of ${result.asOf}\n\n${table}${findings.length === 0 ? "" : "\n"}${findings.join("")}`;
}

export const computeCommand = command({
  name: "compute",
  description: "print scores and what the gates find; publish nothing",
  example: "govdata compute --as-of 2026-04-28",
  takes: (made) =>
    made
      .argument("[space...]", "DAOs to score (default: all, with the findings of the gates)")
      .addOption(SETTINGS.option("GOVDATA_AS_OF"))
      .addOption(SETTINGS.option("GOVDATA_THREADS")),
  async run(context: CommandContext, spaceIds: string[], flags: AsOfFlags) {
    const asOfMs = asOfMsOf(flags, context);
    const { runCompute } = await import("../../stages/compute.ts");
    return runCompute(context.settings, { asOfMs, spaceIds }, context.effects);
  },
  text: formatComputed,
});

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
    const { runBackfill } = await import("../../stages/compute.ts");
    return runBackfill(settings, { ...days, spaceIds, nowMs: nowMs() }, effects);
  },
  text: (daos) =>
    formatTable(daos, [
      { heading: "space", cell: (dao) => dao.spaceId },
      right("days", ({ days }) => String(days)),
      right("scored", ({ scored }) => String(scored)),
      right("changed", ({ changed }) => String(changed)),
    ]),
});
