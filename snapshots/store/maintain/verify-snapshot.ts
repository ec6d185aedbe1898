import { checkDocuments } from "../../format/agreement/check-documents.ts";
import { unless } from "../../format/agreement/disagreement.ts";
import { ofKind, type PublishedDocument, valuesOf } from "../../format/documents.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import {
  type LocatedVersion,
  locateVersion,
  manifestFile,
  type VersionChoice,
} from "../read/locate-version.ts";
import { openIndex } from "../read/open-index.ts";
import { type DocumentReading, documentSetOf, readDocuments } from "../read/read-documents.ts";
import { SnapshotError, type SnapshotProblem } from "../read/snapshot-error.ts";
import { readVerified, verifyFiles } from "../read/verified-file.ts";
import { indexRowsOf } from "../write/build-index.ts";
import { compareCsv, compareDataPackage, compareDays, compareIndex, compareLines } from "./compare-files.ts";

/** Which version to verify, and whether to rebuild every sum and every row of the index. */
export interface VerifyOptions extends VersionChoice {
  readonly deep?: boolean;
}

/** What verification found; no problem means good. The counts are those of the manifest. */
export type Verification = Awaited<ReturnType<typeof verifySnapshot>>;

/** Verifies one version (the pointer's by default) offline; `deep` also rebuilds every sum and every row of the index. */
export async function verifySnapshot(root: string, options: VerifyOptions = {}) {
  const { deep = false, ...choice } = options;
  let located: LocatedVersion | undefined;
  const refused = await problemsOf(async () => {
    located = locateVersion(root, choice);
    return [];
  });
  if (located === undefined) {
    return { version: undefined, sequence: undefined, files: 0, bytes: 0, documents: 0, problems: refused };
  }
  const version = located;
  const reading = readDocuments(version);
  const { files, sequence } = version.manifest;
  const fromFiles = await verifyFiles(version.directory, version.manifest);
  const damaged = new Set(fromFiles.map((each) => each.path));
  const problems: readonly SnapshotProblem[] = [
    ...fromFiles,
    ...reading.problems.filter((each) => !damaged.has(each.path)),
    ...(damaged.has(PATHS.index) ? [] : await problemsOf(() => indexProblems(version, deep))),
    ...(deep ? await problemsOf(async () => sumProblems(version, reading)) : []),
    ...(deep ? packageProblems(version, reading) : []),
  ];
  return {
    version: version.version,
    sequence,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    documents: files.filter((file) => file.media_type === "application/json").length,
    problems,
  };
}

/** What a step throws as refusal is a problem like any other; anything else is a fault of ours. */
async function problemsOf(
  step: () => Promise<readonly SnapshotProblem[]>,
): Promise<readonly SnapshotProblem[]> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return [{ path: error.path ?? PATHS.manifest, code: error.code, message: error.message }];
  }
}

async function indexProblems(located: LocatedVersion, deep: boolean): Promise<readonly SnapshotProblem[]> {
  const { directory, manifest } = located;
  const index = await openIndex(directory, manifest);
  try {
    if (!deep) return [];
    const files = new Map(manifest.files.map((file) => [file.path, file]));
    const bytesOf = (path: string) =>
      readVerified(directory, files.get(path) ?? manifestFile(manifest, path));
    const rows = indexRowsOf(manifest, manifest.files, bytesOf);
    return index.read((database) => compareIndex(database, rows));
  } finally {
    index.close();
  }
}

function sumProblems(located: LocatedVersion, reading: DocumentReading): readonly SnapshotProblem[] {
  const set = documentSetOf(located, reading.documents);
  if (set === undefined) return unless(false, PATHS.daos, "a list of DAOs is missing");
  return [...checkDocuments(set), ...tableProblems(located, reading)];
}

/** Each of these files against the document it was made with; `many` and `one` say what is wrong where they do not pair. */
function pairProblems<Value>(
  { directory, manifest }: LocatedVersion,
  isOfKind: (file: ManifestFile) => boolean,
  documents: readonly (readonly [path: string, Value])[],
  compare: (file: ManifestFile, bytes: Buffer, value: Value) => readonly SnapshotProblem[],
  [folder, many, one]: readonly [folder: string, many: string, one: string],
): readonly SnapshotProblem[] {
  const files = manifest.files.filter(isOfKind);
  const byPath = new Map(documents);
  return [
    ...unless(files.length === byPath.size, folder, many),
    ...files.flatMap((file) => {
      const value = byPath.get(file.path);
      if (value === undefined) return unless(false, file.path, one);
      return compare(file, readVerified(directory, file), value);
    }),
  ];
}

const isDaysFile = ({ path }: ManifestFile): boolean => path.endsWith("/days.csv");

/** Files that are tables against the documents they were made with. */
function tableProblems(located: LocatedVersion, { documents }: DocumentReading): readonly SnapshotProblem[] {
  const { directory, manifest } = located;
  const datedOf = new Map<string, PublishedDocument<"datedListing">[]>();
  for (const dated of ofKind(documents, "datedListing")) {
    const days = PATHS.delegateDays(dated.value.dao);
    datedOf.set(days, [...(datedOf.get(days) ?? []), dated]);
  }
  return [
    ...pairProblems(
      located,
      (file) => file.media_type === "text/csv" && !isDaysFile(file),
      valuesOf(documents, "latestListing").map((each) => [PATHS.wholeListing(each.dao), each]),
      compareCsv,
      ["delegates", "not every listing has its whole ranking", "is the ranking of no listing"],
    ),
    // A version made before there were such files has none of them.
    ...manifest.files
      .filter(isDaysFile)
      .flatMap((file) => compareDays(file, readVerified(directory, file), datedOf.get(file.path) ?? [])),
    ...pairProblems(
      located,
      (file) => file.media_type === "application/x-ndjson",
      valuesOf(documents, "evidence").map((each) => [PATHS.proposals(each.space_id), each]),
      compareLines,
      ["proposals", "not every evidence has its proposals", "is the proposals of no evidence"],
    ),
  ];
}

/** A version made before there was such a file has none. */
function packageProblems({ manifest }: LocatedVersion, { documents }: DocumentReading): SnapshotProblem[] {
  return valuesOf(documents, "dataPackage").flatMap((found) => compareDataPackage(manifest, found));
}
