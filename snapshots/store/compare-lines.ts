import { checkProposalLines } from "../format/agreement/check-evidence.ts";
import { unless } from "../format/agreement/disagreement.ts";
import { encodeLines } from "../format/canonical-json.ts";
import type { Evidence } from "../format/evidence.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { ProposalLine } from "../format/proposal-line.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

/** The lines of a `proposals/<space_id>.ndjson`, each of its shape; throws `SnapshotError`. */
export function readProposalLines(path: string, bytes: Buffer): readonly ProposalLine[] {
  const lines: ProposalLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(parseJsonFile(path, bytes.subarray(from, end), ProposalLine));
    from = end + 1;
  }
  return lines;
}

/** The proposals of one DAO as lines against the evidence that was made of them. */
export function compareLines(
  file: ManifestFile,
  bytes: Buffer,
  evidence: Evidence,
): readonly SnapshotProblem[] {
  const proposals = readProposalLines(file.path, bytes);
  return [
    ...unless(proposals.length === file.records, file.path, "does not hold as many lines as it says"),
    ...unless(encodeLines(ProposalLine, proposals).equals(bytes), file.path, "is not spelled canonically"),
    ...checkProposalLines({ evidence, proposals }),
  ];
}
