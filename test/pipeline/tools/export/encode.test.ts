import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import {
  type Cell,
  type Column,
  type ColumnType,
  column,
  nullable,
  type Row,
  VERSION_COLUMNS,
} from "../../../../pipeline/documents/columns.ts";
import {
  DATASET_NAMES,
  type DatasetName,
  EXPORT_FORMATS,
  type ExportFormat,
} from "../../../../pipeline/tools/export/choices.ts";
import { DATASETS } from "../../../../pipeline/tools/export/datasets.ts";
import { ENCODERS, encodeColumns, encodeForSpreadsheets } from "../../../../pipeline/tools/export/encode.ts";
import type { Table } from "../../../../pipeline/tools/export/rows.ts";
import { cleanText } from "../../../../snapshots/format/text.ts";
import { anyText } from "../../../support/any-text.ts";
import { expectedRows, type PlainRow } from "./expected-rows.ts";
import { makeExportStage, STAGE_MOMENTS } from "./export-stage.ts";

const COLUMNS = [
  column("place", "integer", "", "A place."),
  nullable("name", "string", "", "A name."),
  nullable("share", "number", "", "A share."),
  nullable("is_known", "boolean", "", "Whether."),
  nullable("day", "date", "", "A day."),
  nullable("at", "timestamp", "", "A moment."),
];

const tableOf = (rows: readonly Row[]): Table => ({ columns: COLUMNS, rows });

const encoded = (format: ExportFormat, rows: readonly Row[]): Buffer =>
  Buffer.concat([...ENCODERS[format](tableOf(rows))]);

const bufferOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;

it("writes times without a zone for spreadsheets, and nothing else otherwise", () => {
  const at = "2026-04-28T23:59:59.999Z";
  const rows: readonly Row[] = [
    [1, at, 0.5, true, "2026-04-28", at],
    [2, null, null, null, null, null],
  ];
  const text = Buffer.concat([...encodeForSpreadsheets(tableOf(rows))]).toString("utf8");
  expect(text).toBe(
    `\uFEFFplace,name,share,is_known,day,at\n1,${at},0.5,true,2026-04-28,2026-04-28 23:59:59\n2,,,,,\n`,
  );
});

const plain = (value: unknown, index: number): Cell => {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString().slice(0, index === 4 ? 10 : 24);
  return value as Cell;
};

async function fromParquet(bytes: Buffer): Promise<readonly Row[]> {
  const rows = await parquetReadObjects({ file: bufferOf(bytes) });
  return rows.map((row) => COLUMNS.map(({ name }, index) => plain(row[name], index)));
}

const fromNdjson = (bytes: Buffer): readonly Row[] =>
  bytes
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => Object.values(JSON.parse(line)));

/** Text as it may be published. */
const text = anyText({ maxLength: 30 })
  .map(cleanText)
  .filter((word) => word !== "");

const moment = fc.integer({ min: 0, max: 4_102_444_799_999 }).map((ms) => new Date(ms).toISOString());

const row = fc.tuple(
  fc.maxSafeNat(),
  fc.option(
    fc.oneof(
      text,
      text.map((text) => `=${text}`),
    ),
  ),
  // JSON knows no zero below zero, and nothing published is one.
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
  fc.option(fc.boolean()),
  fc.option(moment.map((day) => day.slice(0, 10))),
  fc.option(moment),
);

describe("a table", () => {
  it("comes back from Parquet and NDJSON as it was, whatever its cells hold", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        expect(await fromParquet(encoded("parquet", rows))).toEqual(rows);
        expect(fromNdjson(encoded("ndjson", rows))).toEqual(rows);
      }),
      { numRuns: 60 },
    );
  });

  it("has no text in CSV that begins like a formula", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const lines = encoded("csv", rows).toString("utf8").split("\n").slice(1, -1);
        expect(lines).toHaveLength(rows.length);
        // Some spreadsheets end a field at each `;` instead, whatever stands around it.
        for (const line of lines) expect(line).not.toMatch(/(^\d+,"?|;\s*"?)[=+\-@\t\r＝＋－＠]/);
      }),
      { numRuns: 60 },
    );
  });

  const countable = (count: number): readonly Row[] =>
    Array.from({ length: count }, (_, index) => [index, `n${index % 7}`, index / 8, null, null, null]);

  it.each([
    { rows: 0, groups: 0, why: "nothing, and its columns are there all the same" },
    { rows: 1, groups: 1, why: "one row" },
    { rows: 20_000, groups: 1, why: "a whole row group" },
    { rows: 20_001, groups: 2, why: "one row more" },
  ])("of $rows rows is whole in each form: $why", async ({ rows, groups }) => {
    const all = countable(rows);
    const parquet = encoded("parquet", all);
    const metadata = parquetMetadata(bufferOf(parquet));
    expect(metadata.row_groups).toHaveLength(groups);
    expect(metadata.schema.slice(1).map(({ name }) => name)).toEqual(COLUMNS.map(({ name }) => name));
    const table = await fromParquet(parquet);
    expect(table).toHaveLength(rows);
    expect(table.at(-1)).toEqual(all.at(-1));
    expect(fromNdjson(encoded("ndjson", all))).toHaveLength(rows);
    expect(encoded("csv", all).toString("utf8").trimEnd().split("\n")).toHaveLength(rows + 1);
  });

  it.each(EXPORT_FORMATS)("is asked for its rows as they are written (%s)", (format) => {
    let taken = 0;
    function* rows(): Generator<Row> {
      for (const row of countable(50_000)) {
        taken += 1;
        yield row;
      }
    }
    const chunks = ENCODERS[format]({ columns: COLUMNS, rows: { [Symbol.iterator]: rows } })[
      Symbol.iterator
    ]();
    chunks.next();
    chunks.next();
    expect(taken).toBeLessThan(50_000);
  });
});

const GROUPED = [
  column("name", "string", "", "A name."),
  nullable("power", "number", "", "A power."),
  nullable("at_ms", "integer", "ms", "A moment."),
  nullable("is_told", "boolean", "", "Whether."),
];

function bytesOf(groups: Parameters<typeof encodeColumns>[1]): ArrayBuffer {
  const bytes = Buffer.concat([...encodeColumns(GROUPED, groups)]);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

describe("columns as Parquet", () => {
  it("keeps every value of typed arrays and of lists, null where it is null", async () => {
    const powers = [0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2];
    const file = bytesOf([
      {
        rows: 4,
        values: {
          name: ["a", "", "Ω二", "d"],
          power: Float64Array.from(powers),
          at_ms: BigInt64Array.from([0n, 1n, -1n, 2n ** 53n]),
          is_told: [true, null, false, null],
        },
      },
      { rows: 2, values: { name: ["e", "e"], power: [null, 1], at_ms: [null, 7n], is_told: [null, true] } },
    ]);
    const rows = await parquetReadObjects({ file });
    expect(rows.map((row) => row["name"])).toEqual(["a", "", "Ω二", "d", "e", "e"]);
    expect(rows.map((row) => row["power"])).toEqual([...powers, null, 1]);
    expect(rows.map((row) => row["at_ms"])).toEqual([0n, 1n, -1n, 2n ** 53n, null, 7n]);
    expect(rows.map((row) => row["is_told"])).toEqual([true, null, false, null, null, true]);
    expect(parquetMetadata(file).row_groups).toHaveLength(2);
  });

  it("takes a group before the next one overwrites it", async () => {
    const power = new Float64Array(1);
    function* groups() {
      for (const value of [1, 2, 3]) {
        power[0] = value;
        yield { rows: 1, values: { name: ["x"], power, at_ms: [null], is_told: [null] } };
      }
    }
    const rows = await parquetReadObjects({ file: bytesOf(groups()) });
    expect(rows.map((row) => row["power"])).toEqual([1, 2, 3]);
  });

  it.each([
    { why: "a column is missing", values: { name: ["x"], power: [1], at_ms: [1n] } },
    { why: "a column is shorter", values: { name: ["x"], power: [], at_ms: [1n], is_told: [true] } },
    { why: "null where none may be", values: { name: [null], power: [1], at_ms: [1n], is_told: [true] } },
  ])("refuses a group in which $why", ({ values }) => {
    expect(() => bytesOf([{ rows: 1, values }])).toThrow();
  });
});

describe("read back", async () => {
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
    if (value instanceof Date)
      return type === "date" ? value.toISOString().slice(0, 10) : value.toISOString();
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
});
