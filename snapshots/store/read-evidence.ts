import { Evidence } from "../format/evidence.ts";
import { SpaceId } from "../format/ids.ts";
import { PATHS } from "../format/paths.ts";
import type { PublishedEvidence } from "../format/published-set.ts";
import { readProposalLines } from "./compare-lines.ts";
import { type LocatedVersion, locateVersion, manifestFile } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { readVerified } from "./verified-file.ts";

/** The lines behind one DAO's evidence, verified by hash; throws `SnapshotError`. */
export function readLinesOf(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): PublishedEvidence["proposals"] {
  const path = PATHS.proposals(spaceId);
  return readProposalLines(path, readVerified(directory, manifestFile(manifest, path)));
}

/** The evidence of one DAO with its lines, verified by hash; `undefined` where the version holds none of it. Throws `SnapshotError`. */
export function readEvidence(root: string, version: string, spaceId: string): PublishedEvidence | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const located = locateVersion(root, { version });
  const path = PATHS.evidence(spaceId);
  const file = located.manifest.files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  const evidence = parseJsonFile(path, readVerified(located.directory, file), Evidence);
  return { evidence, proposals: readLinesOf(located, spaceId) };
}
