import type { Finding } from "../../snapshots/format/run-report.ts";
import type { Reconciliation } from "../score/reconciliation.ts";

/** Proposals a finding names; the rest is counted. */
const NAMED_MAX = 20;

function named(proposalIds: readonly string[]): string {
  const rest = proposalIds.length - NAMED_MAX;
  return `${proposalIds.slice(0, NAMED_MAX).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** What a reader of the run report should know about data that miss their source's own counts. */
export function reconciliationFindings(spaceId: string, found: Reconciliation): Finding[] {
  const finding = (code: string, proposalIds: readonly string[], what: string): Finding[] =>
    proposalIds.length === 0
      ? []
      : [{ code, space_id: spaceId, message: `${proposalIds.length} ${what}: ${named(proposalIds)}` }];
  const { powerCompared, votersCompared } = found;
  return [
    ...finding(
      "POWER_NOT_RECONCILED",
      found.powerDiffers,
      `of ${powerCompared} ballots do not add up to the declared power`,
    ),
    ...finding(
      "VOTERS_NOT_RECONCILED",
      found.votersDiffer,
      `of ${votersCompared} ballots do not have the declared number of voters`,
    ),
    ...finding("BALLOTS_MISSING", found.ballotsMissing, "proposals have votes of which none was fetched"),
  ];
}
