import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { type Cell, column, nullable, type Row } from "../../../../pipeline/documents/columns.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../../../pipeline/tools/export/choices.ts";
import { ENCODERS, encodeColumns, encodeForSpreadsheets } from "../../../../pipeline/tools/export/encode.ts";
import type { Table } from "../../../../pipeline/tools/export/rows.ts";
import { cleanText } from "../../../../snapshots/format/text.ts";
import { anyText } from "../../../support/any-text.ts";

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
