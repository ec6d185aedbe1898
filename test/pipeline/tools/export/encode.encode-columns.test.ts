import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { column, nullable } from "../../../../pipeline/documents/columns.ts";
import { encodeColumns } from "../../../../pipeline/tools/export/encode.ts";

const COLUMNS = [
  column("name", "string", "", "A name."),
  nullable("power", "number", "", "A power."),
  nullable("at_ms", "integer", "ms", "A moment."),
  nullable("is_told", "boolean", "", "Whether."),
];

function bytesOf(groups: Parameters<typeof encodeColumns>[1]): ArrayBuffer {
  const bytes = Buffer.concat([...encodeColumns(COLUMNS, groups)]);
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

  it("has its columns with no row at all", async () => {
    const file = bytesOf([]);
    expect(await parquetReadObjects({ file })).toEqual([]);
    expect(parquetMetadata(file).schema.map(({ name }) => name)).toEqual([
      "root",
      "name",
      "power",
      "at_ms",
      "is_told",
    ]);
  });

  it.each([
    { why: "a column is missing", values: { name: ["x"], power: [1], at_ms: [1n] } },
    { why: "a column is shorter", values: { name: ["x"], power: [], at_ms: [1n], is_told: [true] } },
    { why: "null where none may be", values: { name: [null], power: [1], at_ms: [1n], is_told: [true] } },
  ])("refuses a group in which $why", ({ values }) => {
    expect(() => bytesOf([{ rows: 1, values }])).toThrow();
  });
});
