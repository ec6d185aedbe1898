import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type Database from "better-sqlite3";
import { PATHS } from "../format/paths.ts";
import { plainRows } from "./build-index.ts";
import { etagOf } from "./etag-of.ts";
import type { IndexContent, IndexDocument } from "./index-content.ts";
import type { DocumentRow } from "./index-schema.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

function differs(message: string): SnapshotProblem {
  return { path: PATHS.index, code: "INDEX_DIFFERS", message: `${PATHS.index}: ${message}` };
}

function unpacked(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}

function* documentProblems(
  expected: IndexDocument,
  row: DocumentRow | undefined,
): Generator<SnapshotProblem> {
  const name = `${expected.kind} ${expected.id}`;
  if (row === undefined) {
    yield differs(`${name} is missing`);
    return;
  }
  const body = Buffer.from(expected.body, "utf8");
  const outLength = { maxOutputLength: Math.max(body.length, 1) };
  const gunzipped = unpacked(() => gunzipSync(row.gzip, outLength));
  const unbrotlied = unpacked(() => brotliDecompressSync(row.brotli, outLength));
  if (row.path !== expected.path) yield differs(`${name} names another file than ${expected.path}`);
  if (row.meta !== expected.meta) yield differs(`${name} has another meta than its version`);
  if (!row.body.equals(body)) yield differs(`${name} is not the envelope of ${expected.path}`);
  if (gunzipped?.equals(body) !== true) yield differs(`${name} has another body in gzip`);
  if (unbrotlied?.equals(body) !== true) yield differs(`${name} has another body in brotli`);
  const isTagged =
    row.body_etag === etagOf(row.body) &&
    row.gzip_etag === etagOf(row.gzip) &&
    row.brotli_etag === etagOf(row.brotli);
  if (!isTagged) yield differs(`${name} has an ETag that is not of its bytes`);
}

function compareDocuments(index: Database.Database, documents: readonly IndexDocument[]): SnapshotProblem[] {
  const find = index.prepare<[string, string], DocumentRow>(
    "SELECT * FROM documents WHERE kind = ? AND id = ?",
  );
  const count = index.prepare<[], number>("SELECT count(*) FROM documents").pluck().get();
  const problems = documents.flatMap((each) => [...documentProblems(each, find.get(each.kind, each.id))]);
  if (count !== documents.length) problems.push(differs("holds a document that no file is behind"));
  return problems;
}

/** Rows as text, so that two tables can be compared whatever order they came in. */
function spelled(rows: Iterable<object>): string[] {
  return [...rows].map((row) => JSON.stringify(Object.values(row))).toSorted();
}

/** What the index says that the files do not, or the other way round; an envelope is compared byte for byte. */
export function compareIndex(index: Database.Database, content: IndexContent): readonly SnapshotProblem[] {
  const problems = compareDocuments(index, content.documents);
  for (const [table, rows] of Object.entries(plainRows(content))) {
    const held = spelled(index.prepare<[], object>(`SELECT * FROM ${table}`).all());
    const expected = spelled(rows);
    if (held.length !== expected.length || held.some((row, at) => row !== expected[at])) {
      problems.push(differs(`the table ${table} does not hold what the files say`));
    }
  }
  return problems;
}
