import { filesByDao } from "../../format/documents.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, locateVersion, type VersionChoice } from "../read/locate-version.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { readDocuments } from "../read/read-documents.ts";
import {
  isSnapshotFailure,
  orRefusal,
  problemOf,
  refusalIn,
  type SnapshotProblem,
} from "../read/snapshot-error.ts";
import { verifyFiles } from "../read/verified-file.ts";
import { createDeepLook } from "./deep-look.ts";

/** Which version to verify, and whether to rebuild every sum and every row of the index. */
export interface VerifyOptions extends VersionChoice {
  readonly deep?: boolean;
}

/**
 * Verifies one version (by default the current one) offline; `deep` also rebuilds every sum and every row of the index. No problems means good; the counts are the manifest's.
 */
export async function verifySnapshot(root: string, options: VerifyOptions = {}) {
  const { deep = false, ...choice } = options;
  const located = orRefusal(() => locateVersion(root, choice));
  if (isSnapshotFailure(located)) {
    const nothing = { version: undefined, sequence: undefined, files: 0, bytes: 0, documents: 0 };
    return { ...nothing, problems: [problemOf(located)] };
  }
  const { files, sequence } = located.manifest;
  const fromFiles = await verifyFiles(located.directory, located.manifest);
  const damaged = new Set(fromFiles.map((fromFile) => fromFile.path));
  const problems: readonly SnapshotProblem[] = [
    ...fromFiles,
    ...(await contentProblems(located, deep, damaged)),
  ];
  return {
    version: located.version,
    sequence,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    documents: files.filter((file) => file.media_type === "application/json").length,
    problems,
  };
}

async function contentProblems(
  located: LocatedVersion,
  deep: boolean,
  damaged: ReadonlySet<string>,
): Promise<readonly SnapshotProblem[]> {
  const { directory, manifest } = located;
  const opened = damaged.has(PATHS.index) ? undefined : await openIndex(directory, manifest).catch(refusalIn);
  const [refused, index] = isSnapshotFailure(opened) ? [[problemOf(opened)], undefined] : [[], opened];
  try {
    const { read, found } = documentProblems(located, deep, index);
    return [...read.filter((each) => !damaged.has(each.path)), ...refused, ...found];
  } finally {
    index?.close();
  }
}

/** The problems of single documents and, if `deep`, of all together: first those about all DAOs, then DAO by DAO. */
function documentProblems(located: LocatedVersion, deep: boolean, index: OpenIndex | undefined) {
  const { others, byDao } = filesByDao(located.manifest.files);
  const { read, look } = readLists(located, others, deep, index);
  for (const [spaceId, files] of byDao) {
    const reading = readDocuments(located, files);
    read.push(...reading.problems);
    look?.addDao(spaceId, files, reading);
  }
  const found = look?.end(read.length === 0) ?? [];
  return { read: read.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)), found };
}

/** Reads the documents about all DAOs; a separate function so that the large data package is freed when it returns. */
function readLists(
  located: LocatedVersion,
  files: readonly ManifestFile[],
  deep: boolean,
  index: OpenIndex | undefined,
) {
  const { documents, problems } = readDocuments(located, files);
  return { read: problems, look: deep ? createDeepLook(located, documents, index) : undefined };
}
