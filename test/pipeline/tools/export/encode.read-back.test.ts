import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import type { Column, ColumnType } from "../../../../pipeline/documents/columns.ts";
import {
  DATASET_NAMES,
  type DatasetName,
  EXPORT_FORMATS,
  type ExportFormat,
} from "../../../../pipeline/tools/export/choices.ts";
import { DATASETS, VERSION_COLUMNS } from "../../../../pipeline/tools/export/datasets.ts";
import { expectedRows, type PlainRow } from "./expected-rows.ts";
import { makeExportStage, STAGE_MOMENTS } from "./export-stage.ts";

const stage = await makeExportStage();
const database = await DuckDBInstance.create(":memory:", { threads: "1" });
const connection = await database.connect();
await connection.run("SET TimeZone = 'Asia/Tokyo'");
afterAll(() => {
  connection.closeSync();
  database.closeSync();
});

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  string: "VARCHAR",
  integer: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  date: "DATE",
  timestamp: "TIMESTAMPTZ",
};

const typesOf = (columns: readonly Column[]): string =>
  `{${columns.map(({ name, type }) => `${name}: '${SQL_TYPES[type]}'`).join(", ")}}`;

/** How DuckDB is told to read a file; the types of Parquet it must find by itself. */
function source(format: ExportFormat, file: string, columns: readonly Column[]): string {
  if (format === "parquet") return `read_parquet('${file}')`;
  if (format === "ndjson") {
    return `read_json('${file}', format = 'newline_delimited', columns = ${typesOf(columns)})`;
  }
  return `read_csv('${file}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = ${typesOf(columns)})`;
}

/** A cell as our JSON has it; a name that a spreadsheet would run has an apostrophe in CSV. */
function plainCell(value: unknown, type: ColumnType, format: ExportFormat | "hyparquet"): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return type === "date" ? value.toISOString().slice(0, 10) : value.toISOString();
  if (format === "csv" && typeof value === "string") {
    return value.replace(/(^|;)'(?=[=+\-@＝＋－＠])/g, "$1");
  }
  return value;
}

function plainRows(
  rows: readonly Record<string, unknown>[],
  columns: readonly Column[],
  format: ExportFormat | "hyparquet",
): readonly PlainRow[] {
  return rows.map((row) => {
    expect(Object.keys(row)).toEqual(columns.map(({ name }) => name));
    return Object.fromEntries(columns.map(({ name, type }) => [name, plainCell(row[name], type, format)]));
  });
}

async function byDuck(format: ExportFormat, file: string, columns: readonly Column[]) {
  const result = await connection.runAndReadAll(`SELECT * FROM ${source(format, file, columns)}`);
  const typed = result.columnNames().map((name, index) => [name, String(result.columnType(index))]);
  const wanted = columns.map(({ name, type }) => [
    name,
    SQL_TYPES[type].replace("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"),
  ]);
  expect(typed, "names and types, in their order").toEqual(wanted);
  return plainRows(result.getRowObjectsJS(), columns, format);
}

async function byHyparquet(file: string, columns: readonly Column[]) {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { schema } = parquetMetadata(buffer);
  const repetition = schema.slice(1).map(({ name, repetition_type }) => [name, repetition_type]);
  expect(repetition).toEqual(
    columns.map(({ name, isNullable }) => [name, isNullable ? "OPTIONAL" : "REQUIRED"]),
  );
  return plainRows(await parquetReadObjects({ file: buffer }), columns, "hyparquet");
}

async function exported(dataset: DatasetName, format: ExportFormat, ...more: string[]): Promise<string> {
  const file = join(stage.root, `${dataset}-${more.join("")}.${format}`);
  const end = await stage.govdata("export", dataset, "--format", format, "-o", file, "--force", ...more);
  expect(end, end.stderr).toMatchObject({ code: 0, stderr: "" });
  return file;
}

/** What a format can say of a row: a CSV has one spelling for an empty text and for none. */
const saidBy = (format: ExportFormat, rows: readonly PlainRow[]): readonly PlainRow[] =>
  format !== "csv"
    ? rows
    : rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === "" ? null : cell])),
      );

const byAll = (rows: readonly PlainRow[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

describe.each(DATASET_NAMES)("%s", (dataset) => {
  const { columns } = DATASETS[dataset];
  const rowsOf = (index: number) =>
    expectedRows(dataset, join(stage.snapshots, stage.versions[index] ?? "none"));

  it.each(EXPORT_FORMATS)("as %s is read back equal to the files, cell by cell", async (format) => {
    const file = await exported(dataset, format, "--version", stage.versions[0] ?? "");
    const wanted = byAll(saidBy(format, rowsOf(0)));
    expect(wanted.length, "there is something to compare").toBeGreaterThan(0);
    expect(byAll(await byDuck(format, file, columns))).toEqual(wanted);
    if (format === "parquet") expect(byAll(await byHyparquet(file, columns))).toEqual(wanted);
  });

  it.each(EXPORT_FORMATS)("as %s of all versions says of which each row is", async (format) => {
    const file = await exported(dataset, format, "--all-versions");
    const all = [...VERSION_COLUMNS, ...columns];
    const rows = await byDuck(format, file, all);
    if (format === "parquet") expect(byAll(await byHyparquet(file, all))).toEqual(byAll(rows));
    stage.versions.forEach((version, index) => {
      const versionRows = rows.filter((row) => row["version"] === version);
      const about = { version, sequence: index + 1, as_of: STAGE_MOMENTS[index] };
      const shown = new Set(byAll(versionRows));
      const wanted = saidBy(format, rowsOf(index)).map((row) => ({ ...about, ...row }));
      for (const row of byAll(wanted)) expect(shown).toContain(row);
      if (dataset !== "delegates") expect(versionRows).toHaveLength(rowsOf(index).length);
    });
    expect(rows.map((row) => row["sequence"])).toEqual(rows.map((row) => row["sequence"]).toSorted());
  });

  it("has nulls, and numbers below zero where there can be some", () => {
    const rows = [...rowsOf(0), ...rowsOf(1)];
    // Indicators have no column that may be null, and the entity of these versions is known all over.
    const isWhole = dataset === "indicators" || dataset === "entities";
    expect(rows.some((row) => Object.values(row).includes(null))).toBe(!isWhole);
    if (dataset === "daos") expect(rows.map((row) => row["delta_24h"])).toContain(-0.12);
  });
});

it("a whole ranking is exported, and not the listing that is cut from it", async () => {
  const file = await exported("delegates", "csv");
  const tidewater = (await byDuck("csv", file, DATASETS.delegates.columns)).filter(
    (row) => row["space_id"] === "tidewater.example",
  );
  expect(tidewater.map((row) => row["rank"])).toEqual(Array.from({ length: 302 }, (_, index) => index + 1));
});

it("no field of a CSV begins like a formula, and numbers below zero stay numbers", async () => {
  const text = readFileSync(await exported("daos", "csv", "--version", "previous"), "utf8");
  expect(text).toContain('"\'=HYPERLINK(""x"",""y"")"');
  expect(text).toContain(",-0.12,");
  expect(readFileSync(await exported("proposals", "csv", "--version", "previous"), "utf8")).toContain(
    ",'=1+1;'=2+2,https://vote.example/",
  );
});
