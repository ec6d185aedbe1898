import { checkDocuments } from "../../format/agreement/check-documents.ts";
import { unless } from "../../format/agreement/disagreement.ts";
import { identifyFile, ofKind, type PublishedDocument, valuesOf } from "../../format/documents.ts";
import { FORMAT_VERSION } from "../../format/limits.ts";
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
import { formatUnknown } from "../read/read-pointer.ts";
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

/**
 * Verifies one version (the pointer's by default) offline; `deep` also rebuilds every sum and every row of the index. Of an
 * older format it looks at hashes alone, and refuses to look deeper.
 */
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
  const { files, sequence } = version.manifest;
  const fromFiles = await verifyFiles(version.directory, version.manifest);
  const damaged = new Set(fromFiles.map((each) => each.path));
  const problems: readonly SnapshotProblem[] = [
    ...fromFiles,
    ...(await contentProblems(version, deep, damaged)),
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

/** What is wrong with what the files say, of those that are not damaged. */
async function contentProblems(
  located: LocatedVersion,
  deep: boolean,
  damaged: ReadonlySet<string>,
): Promise<readonly SnapshotProblem[]> {
  const { format } = located.manifest;
  if (format !== FORMAT_VERSION) return deep ? [problemOf(formatUnknown(PATHS.manifest, format))] : [];
  const reading = readDocuments(located);
  return [
    ...reading.problems.filter((each) => !damaged.has(each.path)),
    ...(damaged.has(PATHS.index) ? [] : await problemsOf(() => indexProblems(located, deep))),
    ...(deep ? await problemsOf(async () => sumProblems(located, reading)) : []),
    ...(deep ? packageProblems(located, reading) : []),
  ];
}

/** What a step throws as refusal is a problem like any other; anything else is a fault of ours. */
async function problemsOf(
  step: () => Promise<readonly SnapshotProblem[]>,
): Promise<readonly SnapshotProblem[]> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return [problemOf(error)];
  }
}

const problemOf = ({ path = PATHS.manifest, code, message }: SnapshotError): SnapshotProblem => ({
  path,
  code,
  message,
});

async function indexProblems(located: LocatedVersion, deep: boolean): Promise<readonly SnapshotProblem[]> {
  const { directory, manifest } = located;
  const index = await openIndex(directory, manifest);
  try {
    if (!deep) return [];
    const files = new Map(manifest.files.map((file) => [file.path, file]));
    const bytesOf = (path: string) =>
      readVerified(directory, files.get(path) ?? manifestFile(manifest, path));
    const rows = indexRowsOf(manifest, [...files.keys()], bytesOf);
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

const isDays = ({ path }: ManifestFile): boolean => identifyFile(path)?.kind === "delegateDays";
const isMonth = ({ path }: ManifestFile): boolean => identifyFile(path)?.kind === "delegateMonth";

/** Files that are tables against the documents they were made with. */
function tableProblems(located: LocatedVersion, { documents }: DocumentReading): readonly SnapshotProblem[] {
  const monthsOf = new Map<string, PublishedDocument<"delegateMonth">[]>();
  for (const month of ofKind(documents, "delegateMonth")) {
    const days = PATHS.delegateDays(month.id);
    monthsOf.set(days, [...(monthsOf.get(days) ?? []), month]);
  }
  return [
    ...pairProblems(
      located,
      (file) => file.media_type === "text/csv" && !isDays(file),
      valuesOf(documents, "latestListing").map((each) => [PATHS.wholeListing(each.dao), each]),
      compareCsv,
      ["delegates", "not every listing has its whole ranking", "is the ranking of no listing"],
    ),
    ...pairProblems(located, isDays, [...monthsOf], compareDays, [
      "delegates",
      "not every DAO with dated listings has their days",
      "is the days of no dated listing",
    ]),
    ...pairProblems(
      located,
      (file) => file.media_type === "application/x-ndjson" && !isMonth(file),
      valuesOf(documents, "evidence").map((each) => [PATHS.proposals(each.space_id), each]),
      compareLines,
      ["proposals", "not every evidence has its proposals", "is the proposals of no evidence"],
    ),
  ];
}

/** A version made before there was such a file has none. */
function packageProblems({ manifest }: LocatedVersion, { documents }: DocumentReading): SnapshotProblem[] {
  const fieldsAt = new Map(ofKind(documents, "tableSchema").map(({ path, value }) => [path, value]));
  return valuesOf(documents, "dataPackage").flatMap((found) => compareDataPackage(manifest, found, fieldsAt));
}
