import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readColumn,
  readDoubles,
  writeColumn,
  writeDoubles,
} from "../../../pipeline/warehouse/byte-columns.ts";

/** A view into the middle of a larger buffer, at an odd place, as a part of a ballot lies. */
const bytesOf = (length: number) => Buffer.from(new ArrayBuffer(length + 8), 3, length);

describe("a column of whole numbers", () => {
  it("holds the bytes that Buffer would write one by one, and gives the numbers back", () => {
    const width = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(width, fc.array(fc.nat(0xffff_ffff), { maxLength: 30 }), fc.nat(5), (width, any, start) => {
        const values = Uint32Array.from(any, (value) => value % 256 ** width);
        const [ours, theirs] = [
          bytesOf(start + width * values.length),
          bytesOf(start + width * values.length),
        ];
        for (const [index, value] of values.entries())
          theirs.writeUIntLE(value, start + index * width, width);
        expect(writeColumn(ours, start, width, values)).toBe(start + width * values.length);
        expect(ours).toEqual(theirs);
        expect(readColumn(ours, start, width, values.length)).toEqual(values);
      }),
    );
  });

  it.each([
    { why: "the largest of one byte", width: 1, value: 0xff },
    { why: "the largest of two", width: 2, value: 0xffff },
    { why: "the largest of three", width: 3, value: 0xff_ffff },
    { why: "the largest of four, which has the bit of a sign", width: 4, value: 0xffff_ffff },
  ])("takes $why", ({ width, value }) => {
    const bytes = bytesOf(2 * width);
    writeColumn(bytes, 0, width, Uint32Array.of(value, 0));
    expect(readColumn(bytes, 0, width, 2)).toEqual(Uint32Array.of(value, 0));
  });

  it("of no width writes nothing and reads zeros", () => {
    expect(writeColumn(bytesOf(0), 0, 0, Uint32Array.of(0, 0))).toBe(0);
    expect(readColumn(bytesOf(0), 0, 0, 2)).toEqual(Uint32Array.of(0, 0));
  });
});

describe("a column of doubles", () => {
  it("holds the bytes that Buffer would write one by one, and gives every bit back", () => {
    fc.assert(
      fc.property(fc.float64Array({ maxLength: 20 }), fc.nat(5), (values, start) => {
        const [ours, theirs] = [bytesOf(start + 8 * values.length), bytesOf(start + 8 * values.length)];
        for (const [index, value] of values.entries()) theirs.writeDoubleLE(value, start + index * 8);
        expect(writeDoubles(ours, start, values)).toBe(start + 8 * values.length);
        expect(ours).toEqual(theirs);
        expect(readDoubles(ours, start, values.length)).toEqual(values);
      }),
    );
  });
});
