import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnAt, openSealed, sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";

describe("sealed columns", () => {
  const open = (sealed: Uint8Array, name = "a", bytesMin = 0) =>
    openSealed(name, sealed, bytesMin, (reason) => new Error(reason));
  const columns = fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 4 });

  it("come back as they were, from bytes that are not aligned too", () => {
    fc.assert(
      fc.property(columns, fc.nat(7), (given, shift) => {
        const sealed = sealColumns("a", given);
        const shifted = Buffer.from(new ArrayBuffer(sealed.length + shift), shift);
        sealed.copy(shifted);
        expect(open(shifted).equals(Buffer.concat(given))).toBe(true);
      }),
    );
  });

  it("are refused with any bit flipped, cut anywhere, or under another name", () => {
    fc.assert(
      fc.property(columns, (given) => {
        const sealed = sealColumns("a", given);
        for (let bit = 0; bit < sealed.length * 8; bit += 1) {
          const damaged = Buffer.from(sealed);
          damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          expect(() => open(damaged)).toThrow("checksum");
        }
        for (let length = 0; length < sealed.length; length += 1)
          expect(() => open(sealed.subarray(0, length))).toThrow("checksum");
        expect(() => open(sealed, "b")).toThrow("checksum");
      }),
      { numRuns: 20 },
    );
  });

  it("are refused below the least that the reader needs, even when their checksum holds", () => {
    const sealed = sealColumns("a", [Buffer.alloc(7)]);
    expect(open(sealed, "a", 7)).toHaveLength(7);
    expect(() => open(sealed, "a", 8)).toThrow("checksum");
  });

  it("give a column from its start on, of bytes that begin anywhere in their buffer", () => {
    const bytes = new Uint8Array([1, 2, 3, 4, 5]).subarray(1);
    expect(columnAt(Uint8Array, bytes, 1, 2)).toEqual(Uint8Array.of(3, 4));
  });
});
