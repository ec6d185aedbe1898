import { unless } from "../format/agreement/disagreement.ts";
import type { DelegateListing } from "../format/delegates.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { DELEGATE_HEADER, delegateLines } from "./render-documents.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

/** A whole ranking as CSV against the listing cut from it: as many lines as delegates, and each listed one in its line. */
export function compareCsv(
  file: ManifestFile,
  bytes: Buffer,
  latest: DelegateListing,
): readonly SnapshotProblem[] {
  // No name holds a newline (they are cleaned of control characters), so a line is a row.
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .map((line) => `${line}\n`);
  const rows = lines.length - 2;
  return [
    ...unless(lines[0] === DELEGATE_HEADER, file.path, "does not begin with its columns"),
    ...unless(
      rows === latest.total_delegates && rows === file.records,
      file.path,
      "does not hold total_delegates rows",
    ),
    ...unless(
      latest.delegates.every((item) => lines[item.rank] === delegateLines([item])),
      file.path,
      "has another row than the listing at the same rank",
    ),
  ];
}
