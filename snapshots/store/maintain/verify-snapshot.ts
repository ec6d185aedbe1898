import { isDeepStrictEqual } from "node:util";
import {
  checkLists,
  checkPart,
  contextsOf,
  digestOf,
  type PartDigest,
} from "../../format/agreement/check-documents.ts";
import { type Disagreement, unless } from "../../format/agreement/disagreement.ts";
import type { DataPackage } from "../../format/data-package.ts";
import {
  documentsOfDaos,
  type FileKind,
  filesByDao,
  type PublishedDocument,
} from "../../format/documents.ts";
import type { Certainty } from "../../format/envelope.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { DaoDocuments } from "../../format/published-set.ts";
import {
  type LocatedVersion,
  locateVersion,
  manifestFile,
  type VersionChoice,
} from "../read/locate-version.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { daoDocumentsOf, listsOf, readDocuments } from "../read/read-documents.ts";
import {
  isSnapshotFailure,
  orRefusal,
  problemOf,
  refusalIn,
  type SnapshotProblem,
} from "../read/snapshot-error.ts";
import { readVerified, verifyFiles } from "../read/verified-file.ts";
import { certaintyIn, indexRowsOf } from "../write/build-index.ts";
import { createIndexComparison, packageProblems } from "./compare-files.ts";

export interface VerifyOptions extends VersionChoice {
  readonly deep?: boolean;
}

/**
 * Verifies one version (by default the current one) offline; `deep` also rebuilds every sum and every row of the index. No
 * problems means good; the counts are the manifest's.
 */
export async function verifySnapshot(root: string, options: VerifyOptions = {}) {
  const { deep = false, ...choice } = options;
  const located = orRefusal(() => locateVersion(root, choice));
  if (isSnapshotFailure(located)) {
    const nothing = { version: undefined, sequence: undefined, files: 0, bytes: 0, documents: 0 };
    return { ...nothing, problems: [problemOf(located)] };
  }
  const { directory, manifest, version } = located;
  const { files, sequence } = manifest;
  const fromFiles = await verifyFiles(directory, manifest);
  const damaged = new Set(fromFiles.map(({ path }) => path));
  const opened = damaged.has(PATHS.index) ? undefined : await openIndex(directory, manifest).catch(refusalIn);
  const index = isSnapshotFailure(opened) ? undefined : opened;
  try {
    const problems: readonly SnapshotProblem[] = [
      ...fromFiles,
      ...documentProblems(located, deep, index).filter(({ path }) => !damaged.has(path)),
      ...(isSnapshotFailure(opened) ? [problemOf(opened)] : []),
    ];
    const documents = files.filter((file) => file.media_type === "application/json").length;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { version, sequence, files: files.length, bytes, documents, problems };
  } finally {
    index?.close();
  }
}

const isRead = (kind: FileKind): boolean => kind !== "proposals" && kind !== "wholeListing";

/**
 * The problems of single documents and, if `deep`, of all together. Documents are compared with others only if they are
 * good themselves.
 */
function documentProblems(
  located: LocatedVersion,
  deep: boolean,
  index: OpenIndex | undefined,
): readonly SnapshotProblem[] {
  const { others, byDao } = filesByDao(located.manifest.files);
  const problems: SnapshotProblem[] = [];
  let areAllGood = true;
  const readGood = (files: readonly ManifestFile[]) => {
    const { documents, problems: bad } = readDocuments(located, files, deep ? undefined : isRead);
    problems.push(...bad);
    areAllGood &&= bad.length === 0;
    return bad.length === 0 ? documents : undefined;
  };
  const note = (step: () => readonly SnapshotProblem[]): void => {
    const found = orRefusal(step);
    problems.push(...(isSnapshotFailure(found) ? [problemOf(found)] : found));
    areAllGood &&= !isSnapshotFailure(found);
  };
  const isPackage = ({ path }: ManifestFile) => path === PATHS.dataPackage;
  const general = readGood(others.filter((file) => !isPackage(file)));
  // Not kept, because it may be larger than all the others.
  const ofPackage = readGood(others.filter(isPackage))?.flatMap(({ value }) =>
    deep && general !== undefined ? packageProblems(located.manifest, value as DataPackage, general) : [],
  );
  let look: ReturnType<typeof createDeepLook> | undefined;
  if (deep && general !== undefined) {
    note(() => {
      look = createDeepLook(located, general, index);
      return [];
    });
  }
  for (const [spaceId, files] of byDao) {
    const documents = readGood(files);
    if (documents === undefined || look === undefined) continue;
    const { checkDao, compareWithIndex } = look;
    note(() => checkDao(spaceId, documents));
    note(() => compareWithIndex(documents));
  }
  if (areAllGood) note(() => look?.end() ?? []);
  return [...problems, ...(ofPackage ?? [])];
}

type Documents = readonly PublishedDocument[];

/**
 * Checks that the documents of a version agree with each other and with the index. Works DAO by DAO and keeps only a
 * digest of each. `general` are the documents about all DAOs. Throws `SnapshotFailure`.
 */
function createDeepLook(located: LocatedVersion, general: Documents, index: OpenIndex | undefined) {
  const { directory, manifest } = located;
  const lists = listsOf(located, general);
  // Without it a version could be neither redacted nor published again.
  manifestFile(manifest, PATHS.dataPackage);
  const contextOf = contextsOf(lists);
  const comparison = index?.read(createIndexComparison);
  const certainty = new Map<string, Certainty>();
  const digests: PartDigest[] = [];
  const bytesOf = (path: string) => readVerified(directory, manifestFile(manifest, path));
  const compareWithIndex = (documents: Documents): readonly SnapshotProblem[] => {
    if (index === undefined || comparison === undefined) return [];
    for (const [spaceId, known] of certaintyIn(documents, lists.rankings)) certainty.set(spaceId, known);
    const rows = indexRowsOf({ ...manifest, certainty }, documents, bytesOf);
    return index.read(() => comparison.compare(rows));
  };
  return {
    checkDao(spaceId: string, documents: Documents): readonly SnapshotProblem[] {
      const part = { ...contextOf(spaceId), ...daoDocumentsOf(documents) };
      digests.push(digestOf(part));
      return [...checkPart(part), ...strayProblems(documents, part)];
    },
    compareWithIndex,
    /** Returns the problems of the lists and of the rest of the index, once every DAO was added. */
    end: (): readonly SnapshotProblem[] => [
      ...compareWithIndex(general),
      ...(index?.read(() => comparison?.end()) ?? []),
      ...checkLists(lists, digests),
    ],
  };
}

/** Compares the documents of a DAO with those that they give together: none may be missing, or belong to no other. */
function strayProblems(documents: Documents, part: DaoDocuments): readonly Disagreement[] {
  const built = new Map(documentsOfDaos(part).map(({ path, value }) => [path, value]));
  const strays = documents.flatMap(({ path, value }) => {
    const isFitting = isDeepStrictEqual(built.get(path), value);
    built.delete(path);
    return unless(isFitting, path, "does not fit the other documents of its DAO");
  });
  const missing = [...built.keys()].flatMap((path) =>
    unless(false, path, "is missing, although other documents of its DAO need it"),
  );
  return [...strays, ...missing];
}
