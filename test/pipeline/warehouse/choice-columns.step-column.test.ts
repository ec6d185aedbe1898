import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packSteps, readSteps } from "../../../pipeline/warehouse/choice-columns.ts";

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
