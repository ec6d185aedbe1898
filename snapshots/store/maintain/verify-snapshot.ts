import { filesByDao } from "../../format/documents.ts";
import { FORMAT_VERSION } from "../../format/limits.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, locateVersion, type VersionChoice } from "../read/locate-version.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { readDocuments } from "../read/read-documents.ts";
import { formatUnknown } from "../read/read-pointer.ts";
import { problemOf, SnapshotError, type SnapshotProblem } from "../read/snapshot-error.ts";
import { verifyFiles } from "../read/verified-file.ts";
import { createDeepLook } from "./deep-look.ts";

/** Which version to verify, and whether to rebuild every sum and every row of the index. */
export interface VerifyOptions extends VersionChoice {
  readonly deep?: boolean;
}

/** What verification found; no problem means good. The counts are those of the manifest. */
export type Verification = Awaited<ReturnType<typeof verifySnapshot>>;

/**
 * Verifies one version (the pointer's by default) offline; `deep` also rebuilds every sum and every row of the index. Of an
 * older format it looks at hashes alone, and refuses to look deeper.
 */
export async function verifySnapshot(root: string, options: VerifyOptions = {}) {
  const { deep = false, ...choice } = options;
  const located = await refusable(() => locateVersion(root, choice));
  if ("code" in located) {
    const nothing = { version: undefined, sequence: undefined, files: 0, bytes: 0, documents: 0 };
    return { ...nothing, problems: [located] };
  }
  const { files, sequence } = located.manifest;
  const fromFiles = await verifyFiles(located.directory, located.manifest);
  const damaged = new Set(fromFiles.map((each) => each.path));
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

/** What a step gives, or what it throws as refusal; anything else is a fault of ours. */
async function refusable<Result>(step: () => Result | Promise<Result>): Promise<Result | SnapshotProblem> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return problemOf(error);
  }
}

/** What is wrong with what the files say, of those that are not damaged. */
async function contentProblems(
  located: LocatedVersion,
  deep: boolean,
  damaged: ReadonlySet<string>,
): Promise<readonly SnapshotProblem[]> {
  const { directory, manifest } = located;
  const { format } = manifest;
  if (format !== FORMAT_VERSION) return deep ? [problemOf(formatUnknown(PATHS.manifest, format))] : [];
  const opened = damaged.has(PATHS.index) ? undefined : await refusable(() => openIndex(directory, manifest));
  const [refused, index] = opened !== undefined && "code" in opened ? [[opened], undefined] : [[], opened];
  try {
    const { read, found } = documentProblems(located, deep, index);
    return [...read.filter((each) => !damaged.has(each.path)), ...refused, ...found];
  } finally {
    index?.close();
  }
}

/** What is wrong with single documents, and if looked at deep with all of them together: those about all DAOs first, then DAO after DAO. */
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

/** Apart, as the data package among these documents is let go of here. */
function readLists(
  located: LocatedVersion,
  files: readonly ManifestFile[],
  deep: boolean,
  index: OpenIndex | undefined,
) {
  const { documents, problems } = readDocuments(located, files);
  return { read: problems, look: deep ? createDeepLook(located, documents, index) : undefined };
}
