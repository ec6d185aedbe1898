import type { Evidence } from "../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import { weightedMedian } from "../score/weighted-statistics.ts";

/** Medians over the frame, weighted by ω, of what is reported and never scored. */
export function buildDiagnostics(lines: readonly ProposalLine[]): Evidence["diagnostics"] {
  const members = lines.filter((line) => line.place === "MEMBER");
  const medianOf = (of: (line: ProposalLine) => number | null): number | null =>
    weightedMedian(
      members.flatMap((line) => {
        const value = of(line);
        return value === null ? [] : [{ value, weight: line.attention ?? 0 }];
      }),
    ) ?? null;
  return {
    gini: medianOf((line) => line.gini),
    hhi_points: medianOf(({ effective_voters: voters }) => (voters === null ? null : 10_000 / voters)),
    entropy_bits: medianOf((line) => line.entropy_bits),
    banzhaf_top: medianOf((line) => line.banzhaf_top),
    banzhaf_proposals: members.filter((line) => line.banzhaf_top !== null).length,
  };
}
