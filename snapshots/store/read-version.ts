import type { DocumentSet } from "../format/agreement/document-set.ts";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { PublishedEvidence } from "../format/published-set.ts";
import { locateVersion } from "./locate-version.ts";
import { documentSetOf, readDocuments } from "./read-document-set.ts";
import { readLinesOf } from "./read-evidence.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** The documents of a version, with the lines behind each evidence. */
export type WholeSet = Omit<DocumentSet, "evidence"> & { readonly evidence: readonly PublishedEvidence[] };

/** Everything that can be read in the JSON files of one version. */
export interface WholeVersion {
  readonly version: string;
  readonly manifest: Manifest;
  readonly set: WholeSet;
}

/** The documents of a version (the pointer's where none is named), each verified by hash; throws `SnapshotError` at the first that cannot be believed. */
export function readVersion(root: string, version?: string): WholeVersion {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const { parsed, problems } = readDocuments(located);
  const [problem] = problems;
  if (problem !== undefined) {
    throw new SnapshotError("SNAPSHOT_INVALID", problem.message, { path: problem.path });
  }
  const set = documentSetOf(located, parsed);
  if (set === undefined) {
    const message = `${PATHS.manifest}: names no list of DAOs`;
    throw new SnapshotError("SNAPSHOT_INVALID", message, { path: PATHS.manifest });
  }
  const evidence = set.evidence.map((each) => ({
    ...each,
    proposals: readLinesOf(located, each.evidence.space_id),
  }));
  return { version: located.version, manifest: located.manifest, set: { ...set, evidence } };
}
