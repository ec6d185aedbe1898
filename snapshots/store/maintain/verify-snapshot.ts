import {
  checkLists,
  checkPart,
  contextsOf,
  digestOf,
  type PartDigest,
} from "../../format/agreement/check-documents.ts";
import { unless } from "../../format/agreement/disagreement.ts";
import {
  type FileKind,
  filesByDao,
  identifyFile,
  ofKind,
  type PublishedDocument,
  valuesOf,
} from "../../format/documents.ts";
import type { Certainty } from "../../format/envelope.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import {
  type LocatedVersion,
  locateVersion,
  manifestFile,
  type VersionChoice,
} from "../read/locate-version.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { type DocumentReading, daoDocumentsOf, listsOf, readDocuments } from "../read/read-documents.ts";
import {
  isSnapshotFailure,
  orRefusal,
  problemOf,
  refusalIn,
  type SnapshotProblem,
} from "../read/snapshot-error.ts";
import { readVerified, verifyFiles } from "../read/verified-file.ts";
import { certaintyIn, indexRowsOf } from "../write/build-index.ts";
import {
  compareCsv,
  compareDataPackage,
  compareDays,
  compareLines,
  createIndexComparison,
} from "./compare-files.ts";

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
    const { read, found: problems } = documentProblems(located, deep, index);
    return [...read.filter((problem) => !damaged.has(problem.path)), ...refused, ...problems];
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
  const lookProblems = look?.end(read.length === 0) ?? [];
  return { read: read.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)), found: lookProblems };
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

type Documents = readonly PublishedDocument[];

/**
 * Checks that the documents of a version agree with each other, with their tables and with the index. Works DAO by DAO
 * and keeps only a digest of each. `ofLists` are the documents about all DAOs. Without an index, the index is not checked.
 */
function createDeepLook(located: LocatedVersion, ofLists: Documents, index: OpenIndex | undefined) {
  const { directory, manifest } = located;
  const lists = listsOf(located, ofLists);
  const contextOf = lists && contextsOf(lists);
  const indexed = ofLists.filter(({ kind }) => kind !== "dataPackage");
  const fromPackage = packageProblems(located, ofLists);
  const comparison = index?.read(createIndexComparison);
  const certainty = new Map<string, Certainty>();
  const digests: PartDigest[] = [];
  const differences = { index: [], sums: [], tables: [] } as Record<
    "index" | "sums" | "tables",
    SnapshotProblem[]
  >;
  const bytesOf = (path: string) => readVerified(directory, manifestFile(manifest, path));
  /** Collects the problems of a step; a `SnapshotFailure` is a problem too, any other error is a bug. */
  const note = (list: SnapshotProblem[], step: () => readonly SnapshotProblem[]): void => {
    const result = orRefusal(step);
    list.push(...(isSnapshotFailure(result) ? [problemOf(result)] : result));
  };
  const compareWithIndex = (documents: Documents): readonly SnapshotProblem[] => {
    if (index === undefined || comparison === undefined) return [];
    for (const [spaceId, known] of certaintyIn(documents, lists?.rankings ?? []))
      certainty.set(spaceId, known);
    const rows = indexRowsOf({ ...manifest, certainty }, documents, bytesOf);
    return index.read(() => comparison.compare(rows));
  };
  return {
    /** Checks the documents about one DAO, and its tables among these files. */
    addDao(spaceId: string, files: readonly ManifestFile[], { documents, problems }: DocumentReading): void {
      // Without its evidence, every indexed document of the DAO would seem to differ.
      if (problems.length === 0) note(differences.index, () => compareWithIndex(documents));
      if (contextOf === undefined) return;
      const part = { ...contextOf(spaceId), ...daoDocumentsOf(documents) };
      digests.push(digestOf(part));
      differences.sums.push(...checkPart(part));
      for (const table of TABLES) note(differences.tables, () => table(files, documents, bytesOf));
    },
    /** Returns all problems; compares the rest of the index only if all documents are good. */
    end(areAllGood: boolean): readonly SnapshotProblem[] {
      if (areAllGood) {
        note(differences.index, () => compareWithIndex(indexed));
        note(differences.index, () => index?.read(() => comparison?.end()) ?? []);
      }
      const ofSums =
        lists === undefined
          ? unless(false, PATHS.daos, "a list of DAOs is missing")
          : checkLists(lists, digests);
      return [
        ...differences.index,
        ...ofSums,
        ...differences.sums,
        ...once(differences.tables),
        ...fromPackage,
      ];
    },
  };
}

function once(problems: readonly SnapshotProblem[]): readonly SnapshotProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

/** Returns a check of a DAO's table against its document; `many` and `one` are the messages if only one of them exists. */
function tableOf<Value>(
  kind: FileKind,
  documentIn: (documents: Documents) => Value | undefined,
  compare: (file: ManifestFile, bytes: Buffer, value: Value) => readonly SnapshotProblem[],
  [folder, many, one]: readonly [folder: string, many: string, one: string],
) {
  return (
    files: readonly ManifestFile[],
    documents: Documents,
    bytesOf: (path: string) => Buffer,
  ): readonly SnapshotProblem[] => {
    const file = files.find(({ path }) => identifyFile(path)?.kind === kind);
    const value = documentIn(documents);
    if (file !== undefined && value !== undefined) return compare(file, bytesOf(file.path), value);
    return [
      ...unless(file === undefined && value === undefined, folder, many),
      ...(file === undefined ? [] : unless(false, file.path, one)),
    ];
  };
}

/** As other tables, but a DAO whose frame is empty has proposals without evidence. */
function proposalsTable(
  files: readonly ManifestFile[],
  documents: Documents,
  bytesOf: (path: string) => Buffer,
): readonly SnapshotProblem[] {
  const file = files.find(({ path }) => identifyFile(path)?.kind === "proposals");
  const [evidence] = valuesOf(documents, "evidence");
  if (file === undefined) return unless(evidence === undefined, "proposals", "evidence has no proposals");
  return compareLines(file, bytesOf(file.path), evidence);
}

const TABLES = [
  tableOf("wholeListing", (documents) => valuesOf(documents, "latestListing")[0], compareCsv, [
    "delegates",
    "a listing has no whole ranking",
    "is a ranking without a listing",
  ]),
  tableOf("delegateDays", monthsIn, compareDays, [
    "delegates",
    "a DAO with dated listings has no days.csv",
    "belongs to no dated listings",
  ]),
  proposalsTable,
];

function monthsIn(documents: Documents) {
  const months = ofKind(documents, "delegateMonth");
  return months.length === 0 ? undefined : months;
}

/** Checks the data package, if there is one: older versions have none. */
function packageProblems({ manifest }: LocatedVersion, documents: Documents): readonly SnapshotProblem[] {
  const fieldsAt = new Map(ofKind(documents, "tableSchema").map(({ path, value }) => [path, value]));
  return valuesOf(documents, "dataPackage").flatMap((dataPackage) =>
    compareDataPackage(manifest, dataPackage, fieldsAt),
  );
}
