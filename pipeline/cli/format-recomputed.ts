import type { RecomputeResult } from "../run/recompute.ts";

/** More than this many are counted, not listed; `--json` has all. */
const LISTED_MAX = 50;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

function formatDifference({ path, published, recomputed }: RecomputeResult["differences"][number]): string {
  return `${path}\n  published ${shown(published)}\n  derived   ${shown(recomputed)}\n`;
}

/** Each difference with both values, and the verdict in the last line. */
export function formatRecomputed(result: RecomputeResult): string {
  const { version, problems, differences, numbers, daos } = result;
  if (problems.length > 0) {
    const found = problems.map(({ code, message }) => `${code} ${message}\n`).join("");
    return `${found}${version} is not whole: nothing was derived from it\n`;
  }
  const listed = differences.slice(0, LISTED_MAX).map(formatDifference).join("");
  const more = differences.length > LISTED_MAX ? `and ${differences.length - LISTED_MAX} more\n` : "";
  const count = `${differences.length} ${differences.length === 1 ? "difference" : "differences"}`;
  return `${listed}${more}${count} in ${numbers.toLocaleString("en")} numbers of ${daos} ${daos === 1 ? "DAO" : "DAOs"}\n`;
}
