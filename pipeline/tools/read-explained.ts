import type { UnscoredDao } from "../../snapshots/format/dao.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { LocatedVersion } from "../../snapshots/store/read/locate-version.ts";
import { readDocument } from "../../snapshots/store/read/parse-document.ts";
import {
  type PublishedDocuments,
  readEvidence,
  readVersion,
  type WholeVersion,
} from "../../snapshots/store/read/read-documents.ts";
import { evidenceOfEmptyFrame } from "../documents/read-evidence.ts";
import { pipelineFailure } from "../facts/errors.ts";

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

/** DAOs listed if none has a similar name. */
const LISTED_MAX = 6;

/** Throws `NOT_FOUND` with DAOs of the version, those with a similar name first. */
export function refuseUnknown(spaceId: string, { version, spaceIds: ids }: PublishedDocuments): never {
  if (ids.includes(spaceId)) {
    throw pipelineFailure("NOT_FOUND", `version ${version} was published without evidence of ${spaceId}`, {
      hint: "`govdata publish` makes a version with evidence.",
    });
  }
  const asked = spaceId.toLowerCase().split(".")[0] ?? "";
  const alike = ids.filter((id) => asked.length > 1 && id.includes(asked));
  const named = (alike.length > 0 ? alike : ids).slice(0, LISTED_MAX);
  const others = alike.length > 0 || ids.length <= LISTED_MAX ? "" : `, and ${ids.length - LISTED_MAX} more`;
  throw pipelineFailure("NOT_FOUND", `${spaceId} is not in version ${version}`, {
    hint: `${alike.length > 0 ? "Did you mean" : "It has"} ${named.join(", ")}${others}${alike.length > 0 ? "?" : "."}`,
  });
}
