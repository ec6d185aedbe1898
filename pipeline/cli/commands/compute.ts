import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type ComputedDao, type ComputeResult, runCompute } from "../../stages/compute.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { type AsOfFlags, addAsOfOption, addThreadsOption, asOfMsOf } from "../options/parse-options.ts";
import { formatTable } from "../terminal/table.ts";

type Points = ComputedDao["gvs"];

const shown = (score: Points, decimals = 2): string =>
  score.kind === "score" ? score.points.toFixed(decimals) : "-";

const completeness = ({ completenessPct }: ComputedDao): string => completenessPct?.toFixed(1) ?? "-";

const reasons = (dao: ComputedDao): string =>
  Object.entries(dao.components)
    .flatMap(([key, score]) => (score.kind === "gap" ? [`${key}: ${score.reason}`] : []))
    .join(", ");

/** Scores of every DAO, `-` for a gap with its reasons at the end of the line (below it where a terminal is narrow), and the findings below. */
function formatComputed(result: ComputeResult, { columns }: CommandContext): string {
  const table = formatTable<ComputedDao>(
    [
      { heading: "space", of: (dao) => dao.spaceId },
      { heading: "gvs", of: (dao) => shown(dao.gvs), align: "right" },
      ...COMPONENT_KEYS.map((key) => ({
        heading: key,
        of: ({ components }: ComputedDao) => shown(components[key]),
        align: "right" as const,
      })),
      { heading: "risk", of: (dao) => shown(dao.risk, 1), align: "right" },
      { heading: "weight", of: (dao) => dao.attentionSum.toFixed(1), align: "right", fit: "drop" },
      { heading: "complete", of: completeness, align: "right", fit: "drop" },
      { heading: "gaps", of: reasons, fit: "spill" },
    ],
    result.daos,
    columns,
  );
  const findings = result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}\n`);
  return `as of ${result.asOf}\n\n${table}${findings.length === 0 ? "" : "\n"}${findings.join("")}`;
}

/** `govdata compute [space...] --as-of T` */
export const computeCommand = command({
  name: "compute",
  description: "print scores and gate findings; publishes nothing",
  example: "govdata compute --as-of 2026-04-28",
  takes: (made) =>
    addThreadsOption(
      addAsOfOption(made.argument("[space...]", "DAOs to score (default: all, with gate findings)")),
    ),
  run: ({ settings, effects, nowMs }: CommandContext, spaceIds: string[], flags: AsOfFlags) =>
    runCompute(settings, { asOfMs: asOfMsOf(flags, nowMs), spaceIds }, effects),
  text: formatComputed,
});
