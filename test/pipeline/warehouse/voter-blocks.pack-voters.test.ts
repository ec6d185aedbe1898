import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksumOf } from "../../../pipeline/warehouse/database.ts";
import { packVoters, unpackVoters, VOTERS_PER_BLOCK } from "../../../pipeline/warehouse/voter-blocks.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { arbitraryAddress, voterListOf } from "../facts/voter-lists.ts";

const short = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const long = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
const many = voterListOf(Array.from({ length: 2_500 }, (_, n) => (n % 3 === 0 ? long(n) : short(n))));

function expectRefused(work: () => unknown, says: string): void {
  expect(work).toThrow(Failure);
  expect(work).toThrow(says);
}

describe("a block of voters", () => {
  it("gives back every list as it was", () => {
    fc.assert(
      fc.property(fc.uniqueArray(arbitraryAddress, { maxLength: 40 }), fc.nat(9), (addresses, block) => {
        const list = voterListOf(addresses);
        expect(unpackVoters(block, list.count, packVoters(block, list, 0))).toEqual(list);
      }),
    );
  });

  it.each([
    { why: "the first block, full", from: 0, count: VOTERS_PER_BLOCK },
    { why: "a later one", from: VOTERS_PER_BLOCK, count: VOTERS_PER_BLOCK },
    { why: "the rest of the list", from: 2 * VOTERS_PER_BLOCK, count: 2_500 - 2 * VOTERS_PER_BLOCK },
    { why: "the very last voter", from: 2_499, count: 1 },
    { why: "none", from: 2_500, count: 0 },
  ])("holds what follows a place of a longer list: $why", ({ from, count }) => {
    const { words, isLong } = unpackVoters(7, count, packVoters(7, many, from));
    expect(words).toEqual(many.words.slice(from * 8, (from + count) * 8));
    expect(isLong).toEqual(many.isLong.slice(from, from + count));
  });

  it.each([
    { why: "no voter", addresses: [], bytes: 1 + 0 + 0 + 4 },
    { why: "eight EVM addresses", addresses: [1, 2, 3, 4, 5, 6, 7, 8].map(short), bytes: 1 + 1 + 160 + 4 },
    { why: "nine of them", addresses: [1, 2, 3, 4, 5, 6, 7, 8, 9].map(short), bytes: 1 + 2 + 180 + 4 },
    { why: "one of each chain", addresses: [short(1), long(1)], bytes: 1 + 1 + 52 + 4 },
  ])("takes no more room than it needs: $why", ({ addresses, bytes }) => {
    const packed = packVoters(0, voterListOf(addresses), 0);
    expect(packed).toHaveLength(bytes);
  });

  it("holds the bytes of an address in their order, whatever the machine", () => {
    const packed = packVoters(0, voterListOf([`0x${"0123456789abcdef".repeat(2)}01234567`]), 0);
    expect(packed.subarray(2, 22).toString("hex")).toBe("0123456789abcdef0123456789abcdef01234567");
  });

  it("is refused with any bit flipped, cut anywhere, under another number or count", () => {
    const list = voterListOf([short(1), long(2), short(3)]);
    const whole = packVoters(4, list, 0);
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expectRefused(() => unpackVoters(4, 3, damaged), "block 4 of 3 voters");
    }
    for (let length = 0; length < whole.length; length += 1) {
      expectRefused(() => unpackVoters(4, 3, whole.subarray(0, length)), "checksum");
    }
    expectRefused(() => unpackVoters(5, 3, whole), "block 5 of 3 voters");
    expectRefused(() => unpackVoters(4, 2, whole), "block 4 of 2 voters");
  });

  it.each([
    { why: "a later format", change: (bytes: Buffer) => bytes.fill(2, 0, 1), says: "format 2" },
    { why: "a Starknet bit too many", change: (bytes: Buffer) => bytes.fill(7, 1, 2), says: "its addresses" },
    { why: "a Starknet bit too few", change: (bytes: Buffer) => bytes.fill(0, 1, 2), says: "its addresses" },
  ])("is refused with $why though its checksum holds", ({ change, says }) => {
    const bytes = packVoters(0, voterListOf([short(1), long(2), short(3)]), 0);
    change(bytes);
    const end = bytes.length - 4;
    bytes.writeUInt32LE(checksumOf("block 0 of 3 voters", bytes.subarray(0, end)), end);
    expectRefused(() => unpackVoters(0, 3, bytes), says);
  });
});
