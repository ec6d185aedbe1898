import { isDeepStrictEqual } from "node:util";
import type { SqliteDatabase } from "../../base/sqlite.ts";
import { type DataPackage, describeVersion } from "../../format/data-package.ts";
import {
  DOCUMENTS,
  identifyFile,
  ofKind,
  type PublishedDocument,
  schemaPath,
} from "../../format/documents.ts";
import type { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { DocumentRow } from "../read/index-schema.ts";
import { columnsOf } from "../read/parse-document.ts";
import { problemWith, type SnapshotProblem } from "../read/snapshot-error.ts";
import { encodingTroubles } from "../read/snapshot-reader.ts";
import type { IndexDocument, IndexRows } from "../write/build-index.ts";

/**
 * Compares a data package with the manifest and the table schemas among `documents`: it describes every file in the order
 * of paths, a table with its schema, and the schema of a CSV file has its columns. Texts are not compared, because later
 * releases may improve them.
 */
export function packageProblems(
  manifest: Manifest,
  dataPackage: DataPackage,
  documents: readonly PublishedDocument[],
): readonly SnapshotProblem[] {
  const schemas = new Map(ofKind(documents, "tableSchema").map(({ path, value }) => [path, value]));
  const described = describeVersion(manifest, (path) => {
    const kind = identifyFile(path)?.kind;
    const isTable = kind === "daos" || (kind && DOCUMENTS[kind].mediaType !== "application/json");
    return isTable && schemas.has(schemaPath(kind)) ? schemaPath(kind) : undefined;
  });
  const expected = { ...described, resources: [...described.resources] };
  const differing = (["as_of", "methodology_version", "sources", "resources"] as const).filter(
    (key) => !isDeepStrictEqual(dataPackage[key], expected[key]),
  );
  const misnamed = (["wholeListing", "delegateDays"] as const).filter((kind) => {
    const names = schemas.get(schemaPath(kind))?.fields.map(({ name }) => name);
    return names !== undefined && !isDeepStrictEqual(names, columnsOf(kind));
  });
  return [
    ...differing.map((key) => `${key} is not that of the manifest`),
    ...misnamed.map((kind) => `${schemaPath(kind)} has other columns than its files`),
  ].map((message) => problemWith(PATHS.dataPackage, "DATA_PACKAGE_DIFFERS", message));
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
