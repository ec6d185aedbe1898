import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { type Cell, columnsOf, type Row } from "../../../../pipeline/documents/columns.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../../../pipeline/tools/export/choices.ts";
import { createParquet, ENCODERS, encodeForSpreadsheets } from "../../../../pipeline/tools/export/encode.ts";
import type { Table } from "../../../../pipeline/tools/export/rows.ts";
import { cleanText } from "../../../../snapshots/format/text.ts";
import { anyText } from "../../../support/any-text.ts";

const COLUMNS = columnsOf(`
  place     integer     -  A place.
  name      string?     -  A name.
  share     number?     -  A share.
  is_known  boolean?    -  Whether.
  day       date?       -  A day.
  at        timestamp?  -  A moment.
`);

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

const countable = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => [index, `n${index % 7}`, index / 8, null, null, null]);

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

describe("a Parquet file that is written piece by piece", () => {
  it("has a row group for each so many rows, however they arrive", () => {
    const parquet = createParquet(COLUMNS, 4);
    const pieces = [3, 0, 4, 2].map((count) => [...parquet.add(countable(count))]);
    expect(pieces.map((chunks) => chunks.length)).toEqual([0, 0, 1, 1]);
    const file = bufferOf(Buffer.concat([...pieces.flat(), ...parquet.end()]));
    expect(parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([4, 4, 1]);
  });

  it("refuses null where none may be", () => {
    expect(() => encoded("parquet", [[null, "a", 0.5, true, null, null]])).toThrow();
  });
});
