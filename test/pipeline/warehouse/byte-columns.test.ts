import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressBytes,
  addressOf,
  readColumn,
  readDoubles,
  writeColumn,
  writeDoubles,
} from "../../../pipeline/warehouse/byte-columns.ts";
import { packSteps, readSteps } from "../../../pipeline/warehouse/choice-columns.ts";

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

describe("addressBytes", () => {
  it.each([
    { why: "an EVM address", address: `0x${"0f".repeat(20)}`, length: 20 },
    { why: "the zero address", address: `0x${"0".repeat(40)}`, length: 20 },
    { why: "a Starknet address", address: `0x${"0f".repeat(32)}`, length: 32 },
  ])("keeps $why", ({ address, length }) => {
    expect(addressBytes(address)).toHaveLength(length);
    expect(addressOf(addressBytes(address))).toBe(address);
  });

  it.each([
    { why: "upper case", address: `0x${"0F".repeat(20)}` },
    { why: "an upper-case prefix", address: `0X${"0f".repeat(20)}` },
    { why: "no prefix", address: "0f".repeat(20) },
    { why: "39 digits", address: `0x${"f".repeat(39)}` },
    { why: "41 digits", address: `0x${"f".repeat(41)}` },
    { why: "63 digits", address: `0x${"f".repeat(63)}` },
    { why: "a letter that is no digit", address: `0x${"g".repeat(40)}` },
    { why: "a line break at the end", address: `0x${"f".repeat(40)}\n` },
    { why: "nothing", address: "" },
  ])("refuses $why", ({ address }) => {
    expect(() => addressBytes(address)).toThrow("lower-case hex");
  });
});

const ascending = fc
  .uniqueArray(fc.oneof(fc.nat(300), fc.nat(0xffff_ffff)), { maxLength: 40 })
  .map((numbers) => Uint32Array.from(numbers).sort());

describe("a column of steps", () => {
  it("gives ascending numbers back", () => {
    fc.assert(
      fc.property(ascending, (numbers) => {
        const bytes = packSteps(numbers);
        expect(readSteps(bytes, 0, bytes.length, numbers.length)).toEqual(numbers);
      }),
    );
  });

  it.each([
    { why: "nothing", numbers: [], bytes: 0 },
    { why: "0", numbers: [0], bytes: 1 },
    { why: "the largest step of one byte", numbers: [127], bytes: 1 },
    { why: "the smallest of two", numbers: [128], bytes: 2 },
    { why: "the largest of two", numbers: [0x3fff], bytes: 2 },
    { why: "the smallest of three", numbers: [0x4000], bytes: 3 },
    { why: "the largest of three", numbers: [0x1f_ffff], bytes: 3 },
    { why: "the smallest of four", numbers: [0x20_0000], bytes: 4 },
    { why: "the largest of four", numbers: [0xfff_ffff], bytes: 4 },
    { why: "the smallest of five", numbers: [0x1000_0000], bytes: 5 },
    { why: "the largest number", numbers: [0xffff_ffff], bytes: 5 },
    { why: "a step after a large number", numbers: [0xffff_fffe, 0xffff_ffff], bytes: 6 },
  ])("takes as many bytes as it needs: $why", ({ numbers, bytes }) => {
    const list = Uint32Array.from(numbers);
    expect(packSteps(list)).toHaveLength(bytes);
    expect(readSteps(packSteps(list), 0, bytes, list.length)).toEqual(list);
  });

  it.each([
    { why: "a byte is missing", bytes: [1, 0x80], count: 2 },
    { why: "a number is missing", bytes: [1], count: 2 },
    { why: "a byte is left", bytes: [1, 2], count: 1 },
    { why: "there are bytes for nobody", bytes: [1], count: 0 },
    { why: "it never ends", bytes: new Array<number>(300).fill(0xff), count: 1 },
  ])("is refused where $why", ({ bytes, count }) => {
    expect(readSteps(Uint8Array.from(bytes), 0, bytes.length, count)).toBeUndefined();
  });

  it("ends where it should, whatever follows it", () => {
    const bytes = Uint8Array.of(9, 9, 1, 0x80, 1, 9);
    expect(readSteps(bytes, 2, 5, 2)).toEqual(Uint32Array.of(1, 129));
    expect(readSteps(bytes, 2, 4, 2)).toBeUndefined();
  });
});
