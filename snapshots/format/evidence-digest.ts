import { encodeCanonical, encodeLines, sha256Hex } from "./canonical-json.ts";
import { type Evidence, WholeMeasures } from "./evidence.ts";
import type { ProposalLine } from "./proposal-line.ts";

// Separate from the shapes, which also run in browsers, where `node:crypto` is missing.

/** SHA-256 of a DAO's measures with its ID, moment and method: nothing else reveals a tiny change of a measure. */
export function measuresDigest(
  evidence: Pick<Evidence, "space_id" | "as_of" | "methodology_version" | "measures">,
): string {
  const { space_id: spaceId, as_of: asOf, methodology_version: version, measures } = evidence;
  return sha256Hex(`${spaceId}|${asOf}|${version}|${encodeCanonical(WholeMeasures, measures)}`);
}

/** SHA-256 of the bytes of `proposals/<space_id>.ndjson`; the keys of the lines must be in the shape's order. */
export function linesDigest(lines: readonly ProposalLine[]): string {
  return sha256Hex(encodeLines(lines));
}
