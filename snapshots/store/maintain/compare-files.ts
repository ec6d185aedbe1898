import { isDeepStrictEqual } from "node:util";
import type { SqliteDatabase } from "../../base/sqlite.ts";
import { checkEmptyFrame, checkProposalLines } from "../../format/agreement/check-evidence.ts";
import { disagreementsAt } from "../../format/agreement/disagreement.ts";
import { encodeLines } from "../../format/canonical-json.ts";
import {
  type DataPackage,
  type DataResource,
  dataResource,
  type TableSchema,
} from "../../format/data-package.ts";
import { byMonth } from "../../format/delegate-months.ts";
import type { DelegateListing } from "../../format/delegates.ts";
import { identifyFile, type PublishedDocument } from "../../format/documents.ts";
import type { Evidence } from "../../format/evidence.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { DocumentRow } from "../read/index-schema.ts";
import { parseDocument } from "../read/parse-document.ts";
import { problemWith, type SnapshotProblem } from "../read/snapshot-error.ts";
import { encodingTroubles } from "../read/snapshot-reader.ts";
import type { IndexDocument, IndexRows } from "../write/build-index.ts";
import { DELEGATE_HEADER, delegateDays, delegateLines } from "../write/render-documents.ts";

/** Compares a whole ranking as CSV with the listing cut from it: the number of rows, and the row of each listed delegate. */
export function compareCsv(
  file: ManifestFile,
  bytes: Buffer,
  latest: DelegateListing,
): readonly SnapshotProblem[] {
  // Names contain no newline (they are cleaned of control characters), so a line is a row.
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .map((line) => `${line}\n`);
  const rows = lines.length - 2;
  const isAsListed = latest.delegates.every((item) => lines[item.rank] === delegateLines([item]));
  return disagreementsAt(file.path, [
    [lines[0] === DELEGATE_HEADER, "does not begin with its columns"],
    [rows === latest.total_delegates && rows === file.records, "does not contain total_delegates rows"],
    [isAsListed, "has another row than the listing at the same rank"],
  ]);
}

/** Compares the proposal lines of one DAO with the evidence that was made from them, if its frame is not empty. */
export function compareLines(
  file: ManifestFile,
  bytes: Buffer,
  evidence: Evidence | undefined,
): readonly SnapshotProblem[] {
  const proposals = parseDocument("proposals", file.path, bytes);
  return [
    ...disagreementsAt(file.path, [
      [proposals.length === file.records, "does not contain as many lines as the manifest says"],
      [encodeLines(proposals).equals(bytes), "is not canonical"],
    ]),
    ...(evidence === undefined
      ? checkEmptyFrame({ spaceId: identifyFile(file.path)?.id ?? "", proposals })
      : checkProposalLines({ evidence, proposals })),
  ];
}

const DAYS_HEADER = delegateDays([]).toString("utf8");

const packageDiffers = (message: string): SnapshotProblem =>
  problemWith(PATHS.dataPackage, "DATA_PACKAGE_DIFFERS", message);

/**
 * Compares a data package with the manifest: every file is named once, with its size, hash and columns, and no other
 * file is named. `fieldsAt` are the table schemas of the version, by path.
 */
export function compareDataPackage(
  manifest: Manifest,
  dataPackage: DataPackage,
  fieldsAt: ReadonlyMap<string, TableSchema>,
): readonly SnapshotProblem[] {
  const problems = [...aboutProblems(manifest, dataPackage)];
  const resources = new Map<string, DataResource>();
  for (const resource of dataPackage.resources) {
    if (resources.has(resource.path)) problems.push(packageDiffers(`names ${resource.path} twice`));
    resources.set(resource.path, resource);
  }
  for (const file of manifest.files) {
    if (file.path === PATHS.dataPackage) continue;
    const resource = resources.get(file.path);
    resources.delete(file.path);
    if (resource === undefined) problems.push(packageDiffers(`does not name ${file.path}`));
    else if (!isDeepStrictEqual(resource, dataResource(file, resource.schema))) {
      problems.push(packageDiffers(`describes ${file.path} differently than the manifest`));
    }
  }
  for (const path of resources.keys())
    problems.push(packageDiffers(`names ${path}, which the manifest does not`));
  return [...problems, ...tableProblems(dataPackage.resources, fieldsAt)];
}

function* aboutProblems(manifest: Manifest, dataPackage: DataPackage): Generator<SnapshotProblem> {
  const differs = (key: string) => packageDiffers(`${key} is not that of the manifest`);
  if (dataPackage.as_of !== manifest.as_of) yield differs("as_of");
  if (dataPackage.methodology_version !== manifest.methodology_version) yield differs("methodology_version");
  const sources = manifest.sources.map(({ source_id: title }) => ({ title }));
  if (!isDeepStrictEqual(dataPackage.sources, sources)) yield differs("sources");
}

/**
 * Checks the table schemas: only tables have one, the fields of a CSV are its columns in order, and all files of a kind
 * have the same. Descriptions are not compared, because later releases may improve them.
 */
function tableProblems(
  resources: readonly DataResource[],
  fieldsAt: ReadonlyMap<string, TableSchema>,
): readonly SnapshotProblem[] {
  const schemaOf = new Map<string | undefined, DataResource["schema"]>();
  return resources.flatMap((resource) => {
    const { path, format, schema } = resource;
    const isTable = format === "csv" || format === "ndjson" || path === PATHS.daos;
    if (!isTable)
      return schema === undefined ? [] : [packageDiffers(`gives fields to ${path}, which is no table`)];
    const kind = identifyFile(path)?.kind;
    if (!schemaOf.has(kind)) schemaOf.set(kind, schema);
    const isSame = isDeepStrictEqual(schema, schemaOf.get(kind));
    const header = kind === "delegateDays" ? DAYS_HEADER : DELEGATE_HEADER;
    const fields = typeof schema === "string" ? fieldsAt.get(schema) : schema;
    const names = fields?.fields.map(({ name }) => name).join(",");
    const isOfHeader = format !== "csv" || fields === undefined || `${names}\n` === header;
    return [
      ...(fields === undefined && schema !== undefined
        ? [packageDiffers(`names a file for the fields of ${path} that is no table schema`)]
        : []),
      ...(isSame ? [] : [packageDiffers(`gives ${path} other fields than a table of its kind`)]),
      ...(isOfHeader ? [] : [packageDiffers(`gives ${path} other fields than its columns`)]),
    ];
  });
}

/** Compares `days.csv` with the months of its DAO: one row per line, in the same order, with as many delegates. */
export function compareDays(
  file: ManifestFile,
  bytes: Buffer,
  months: readonly Pick<PublishedDocument<"delegateMonth">, "month" | "value">[],
): readonly SnapshotProblem[] {
  const rows = parseDocument("delegateDays", file.path, bytes);
  const lines = months.flatMap(({ value }) => value);
  const isOfDays = isDeepStrictEqual(
    byMonth(rows).map(({ month, days }) => [month, days.length]),
    months.map(({ month, value }) => [month, value.length]),
  );
  const countsAll = rows.every(({ delegates }, index) => delegates === lines[index]?.total_delegates);
  const namesBlocks = rows.every(({ source, block }) => (source === "logs") === (block !== null));
  return disagreementsAt(file.path, [
    [delegateDays(rows).equals(bytes), "is not canonical"],
    [rows.length === file.records, "does not contain as many lines as the manifest says"],
    [isOfDays, "does not have a line for each listing of each month"],
    [countsAll, "counts other delegates than the listing of the day"],
    [namesBlocks, "has a block for a list, or none for logs"],
  ]);
}

/** Compares an index with the rows that its files should have: envelopes byte for byte, and at the end no others. */
export function createIndexComparison(index: SqliteDatabase) {
  const find = index.prepare<[string, string], DocumentRow>(
    "SELECT * FROM documents WHERE kind = ? AND id = ?",
  );
  const expected = new Map<string, number>();
  const differing = new Set<string>();
  const countIn = (table: string, where = "") =>
    index.prepare<[object], number>(`SELECT count(*) FROM ${table} ${where}`).pluck();
  return {
    /** Compares some rows; returns the problems of their envelopes. */
    compare(rows: IndexRows): readonly SnapshotProblem[] {
      const { documents, ...tables } = rows;
      for (const [table, { length }] of Object.entries(rows))
        expected.set(table, (expected.get(table) ?? 0) + length);
      for (const [table, [...rows]] of Object.entries(tables)) {
        const [first] = rows;
        if (first === undefined) continue;
        const columns = Object.keys(first).map((name) => `${name} = @${name}`);
        const count = countIn(table, `WHERE ${columns.join(" AND ")}`);
        if (rows.some((row) => count.get(row) !== 1)) differing.add(table);
      }
      return documents.flatMap((row) => [...documentProblems(row, find.get(row.kind, row.id))]);
    },
    /** Returns documents without a file, and other tables that differ. */
    end(): readonly SnapshotProblem[] {
      return [...expected].flatMap(([table, count]) => {
        const isWhole = countIn(table).get({}) === count;
        if (table === "documents") return isWhole ? [] : [indexDiffers("contains a document without a file")];
        if (isWhole && !differing.has(table)) return [];
        return [indexDiffers(`the table ${table} differs from the files`)];
      });
    },
  };
}

const indexDiffers = (message: string): SnapshotProblem => problemWith(PATHS.index, "INDEX_DIFFERS", message);

function* documentProblems(
  expected: IndexDocument,
  row: DocumentRow | undefined,
): Generator<SnapshotProblem> {
  const name = `${expected.kind} ${expected.id}`;
  if (row === undefined) {
    yield indexDiffers(`${name} is missing`);
    return;
  }
  const body = Buffer.from(expected.body, "utf8");
  if (row.path !== expected.path) yield indexDiffers(`${name} names another file than ${expected.path}`);
  if (row.meta !== expected.meta) yield indexDiffers(`${name} has another meta than its version`);
  if (!row.body.equals(body)) yield indexDiffers(`${name} is not the envelope of ${expected.path}`);
  for (const trouble of encodingTroubles(row)) yield indexDiffers(`${name} ${trouble}`);
}
