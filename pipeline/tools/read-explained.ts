import type { UnscoredDao } from "../../snapshots/format/dao.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { LocatedVersion } from "../../snapshots/store/read/locate-version.ts";
import { readDocument } from "../../snapshots/store/read/parse-document.ts";
import { readEvidence, readVersion, type WholeVersion } from "../../snapshots/store/read/read-documents.ts";
import { evidenceOfEmptyFrame } from "../documents/read-evidence.ts";

/** The evidence of one DAO, made again if its frame is empty; `undefined` for an unknown DAO. Throws `SnapshotFailure`. */
export function readExplained(
  located: LocatedVersion,
  spaceId: string,
  unscored: UnscoredDao | undefined,
): PublishedEvidence | undefined {
  if (unscored?.empty_frame === undefined) return readEvidence(located, spaceId);
  return evidenceOfEmptyFrame(unscored, located.manifest.as_of, readDocument(located, "proposals", spaceId));
}

/** A whole version, with the evidence of every tracked DAO. Throws `SnapshotFailure`. */
export function readExplainedVersion(root: string, version?: string): WholeVersion {
  const whole = readVersion(root, version);
  const { unscored, evidence, emptyFrames, asOf } = whole.set;
  const lines = new Map(emptyFrames.map(({ spaceId, proposals }) => [spaceId, proposals]));
  const again = unscored.flatMap(
    (dao) => evidenceOfEmptyFrame(dao, asOf, lines.get(dao.space_id) ?? []) ?? [],
  );
  return { ...whole, set: { ...whole.set, evidence: [...evidence, ...again] } };
}
