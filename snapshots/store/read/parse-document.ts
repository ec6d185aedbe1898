import type { z } from "zod";
import { type CsvCell, csvText, unescapeFormulas } from "../../base/csv.ts";
import { encodeLines, encodeParsed } from "../../format/canonical-json.ts";
import { DelegateDay, DelegateItem, lineSpans } from "../../format/delegates.ts";
import {
  DOCUMENTS,
  type FileKind,
  type FileValues,
  filePath,
  identifyFile,
  type PublishedDocument,
} from "../../format/documents.ts";
import { findFile, type LocatedVersion, manifestFile } from "./locate-version.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { invalidFile } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/** The rows of each kind of CSV file; the columns are their fields. */
const CSV_ROWS = { wholeListing: DelegateItem, delegateDays: DelegateDay };

const isCsv = (kind: FileKind): kind is keyof typeof CSV_ROWS => Object.hasOwn(CSV_ROWS, kind);

export const columnsOf = (kind: FileKind): readonly string[] | undefined =>
  isCsv(kind) ? Object.keys(CSV_ROWS[kind].shape) : undefined;

export function encodeValue(kind: FileKind, value: unknown): Buffer {
  const columns = columnsOf(kind);
  if (columns !== undefined) {
    return Buffer.from(`${columns.join(",")}\n${csvText(value as Record<string, CsvCell>[], columns)}`);
  }
  return isOfLines(kind) ? encodeLines(value as object[]) : encodeParsed(value);
}

const isOfLines = (kind: FileKind): boolean => DOCUMENTS[kind].mediaType === "application/x-ndjson";

/** Parses the bytes of a file and checks each line and value by its shape; throws `SnapshotFailure`. */
export function parseDocument<Kind extends FileKind>(
  kind: Kind,
  path: string,
  bytes: Buffer,
): FileValues[Kind] {
  return parse(kind, path, bytes) as FileValues[Kind];
}

type Files = Pick<LocatedVersion, "directory" | "manifest">;

/** Reads a document of a version and verifies its hash and shape; throws `SnapshotFailure`. */
export function readDocument<Kind extends FileKind>(
  { directory, manifest }: Files,
  kind: Kind,
  id?: string,
): FileValues[Kind] {
  const path = filePath(kind, id);
  return parseDocument(kind, path, readVerified(directory, manifestFile(manifest, path)));
}

/** Like `readDocument`, but undefined if the version has no such file; only names in its manifest become paths. */
export function findDocument<Kind extends FileKind>(
  located: Files,
  kind: Kind,
  id?: string,
): FileValues[Kind] | undefined {
  const file = findFile(located.manifest, filePath(kind, id));
  return file === undefined ? undefined : readDocument(located, kind, id);
}

/** The documents at these paths, sorted; each value is parsed on every access and not kept. */
export function documentsAt(
  paths: readonly string[],
  bytesOf: (path: string) => Buffer,
): readonly PublishedDocument[] {
  return paths.toSorted().flatMap((path) => {
    const identity = identifyFile(path);
    if (identity === undefined) return [];
    const document = {
      ...identity,
      path,
      get value() {
        return parseDocument(identity.kind, path, bytesOf(path));
      },
    };
    return [document as PublishedDocument];
  });
}

function parse(kind: FileKind, path: string, bytes: Buffer): unknown {
  if (isCsv(kind)) return parseRows(kind, path, bytes);
  const shape: z.ZodType = DOCUMENTS[kind].shape;
  if (!isOfLines(kind)) return parseJsonFile(path, bytes, shape);
  const { element } = shape as z.ZodArray;
  return lineSpans(bytes).map(({ offset, bytes: length }) =>
    parseJsonFile(path, bytes.subarray(offset, offset + length), element as z.ZodType),
  );
}

function parseRows(kind: keyof typeof CSV_ROWS, path: string, bytes: Buffer): readonly unknown[] {
  const shape = CSV_ROWS[kind];
  const columns = Object.keys(shape.shape);
  // No field holds a line break: names are cleaned of control characters.
  const [, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const fields = fieldsOf(line);
    const row = Object.fromEntries(
      columns.flatMap((name, index) => {
        const value = valueIn(name, fields[index] ?? "");
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const { data, error } = shape.safeParse(row);
    if (error === undefined) return data;
    throw invalidFile(path, "contains a line that is no row of its table");
  });
}

/** A CSV field: quoted, with doubled quotes inside, or without quotes. */
const FIELD = /("(?:[^"]|"")*"|[^",]*)(?:,|$)/gy;

function fieldsOf(line: string): readonly string[] {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex <= line.length) {
    const match = FIELD.exec(line);
    if (match === null) return [];
    const text = match[1] ?? "";
    fields.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (!match[0].endsWith(",")) break;
  }
  return fields.map(unescapeFormulas);
}

const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  ...["rank", "votes_human", "votes_share_pct", "delegators_count"],
  ...["block", "delegates", "total_votes"],
]);

function valueIn(column: string, text: string): string | number | null | undefined {
  if (column === "ens" && text === "") return undefined;
  if (column === "block" && text === "") return null;
  return NUMBER_COLUMNS.has(column) ? Number(text) : text;
}
