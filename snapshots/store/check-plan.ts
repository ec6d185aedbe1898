import { checkDocuments } from "../format/agreement/check-documents.ts";
import { checkProposalLines } from "../format/agreement/check-evidence.ts";
import { checkWholeListing } from "../format/agreement/check-listing.ts";
import { allDifferent, unless } from "../format/agreement/disagreement.ts";
import { PATHS } from "../format/paths.ts";
import type { PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

function checkRun(set: PublishedSet, run: RunReport): readonly SnapshotProblem[] {
  const { counts } = run;
  return [
    ...unless(run.as_of === set.asOf, PATHS.run, "as_of is not that of the documents"),
    ...unless(counts.daos_scored === set.daos.length, PATHS.run, "counts.daos_scored is not their number"),
    ...unless(
      counts.daos_unscored === set.unscored.length,
      PATHS.run,
      "counts.daos_unscored is not their number",
    ),
    ...unless(
      counts.entities_published === set.entities.length,
      PATHS.run,
      "counts.entities_published is not their number",
    ),
  ];
}

/** Refuses a set whose documents cannot all be true, with `DOCUMENT_INVALID`, the first reason and their number. */
export function assertPublishable(set: PublishedSet, run: RunReport): void {
  const spaces = set.listings.map((listing) => listing.spaceId);
  const problems = [
    ...checkDocuments(set),
    ...set.listings.flatMap(checkWholeListing),
    ...set.evidence.flatMap(checkProposalLines),
    ...unless(allDifferent(spaces), "delegates", "a DAO has two listings"),
    ...checkRun(set, run),
  ];
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new SnapshotError("DOCUMENT_INVALID", `${first.message}${others}`, { path: first.path });
}
