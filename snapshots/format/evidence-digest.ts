import { encodeCanonical, encodeLines, sha256Hex } from "./canonical-json.ts";
import { type Evidence, WholeMeasures } from "./evidence.ts";
import type { ProposalLine } from "./proposal-line.ts";

// Apart from the shape: who takes the shapes of the format into a browser has no `node:crypto`.

/** Of the measures of the whole DAO, and of whose and when they are: nothing else can tell when one of them is changed by a hair. */
export function measuresDigest(
  evidence: Pick<Evidence, "space_id" | "as_of" | "methodology_version" | "measures">,
): string {
  const { space_id: spaceId, as_of: asOf, methodology_version: version, measures } = evidence;
  return sha256Hex(`${spaceId}|${asOf}|${version}|${encodeCanonical(WholeMeasures, measures)}`);
}

/** Of the bytes of `proposals/<space_id>.ndjson`: the lines with their keys in the order of the shape. */
export function linesDigest(lines: readonly ProposalLine[]): string {
  return sha256Hex(encodeLines(lines));
}
