import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADDRESS_WORDS, addressAt, readAddress } from "../../../pipeline/facts/voters.ts";
import { arbitraryAddress, voterListOf } from "./voter-lists.ts";

const read = (digits: string, words = new Int32Array(ADDRESS_WORDS)) =>
  readAddress(Buffer.from(digits, "latin1"), 0, digits.length, words);

describe("readAddress", () => {
  it("gives back what was written, in lower case, whichever case it came in", () => {
    fc.assert(
      fc.property(arbitraryAddress, fc.infiniteStream(fc.boolean()), (address, isUpper) => {
        const digits = [...address.slice(2)].map((digit) =>
          isUpper.next().value ? digit.toUpperCase() : digit,
        );
        const words = new Int32Array(ADDRESS_WORDS).fill(7);
        const codes = Buffer.from(`xx${digits.join("")}!`);
        expect(readAddress(codes, 2, digits.length, words)).toBe(true);
        const isLong = Uint8Array.of(digits.length === 64 ? 1 : 0);
        expect(addressAt({ count: 1, words, isLong }, 0)).toBe(address);
      }),
    );
  });

  it("leaves nothing of the address before behind a shorter one", () => {
    const words = new Int32Array(ADDRESS_WORDS);
    read("f".repeat(64), words);
    read("1".repeat(40), words);
    expect([...words.subarray(5)]).toEqual([0, 0, 0]);
  });

  it.each([
    { why: "a letter past f", digit: "g" },
    { why: "the sign before 0", digit: "/" },
    { why: "the sign after 9", digit: ":" },
    { why: "the sign before A", digit: "@" },
    { why: "the sign before a", digit: "`" },
    { why: "a blank", digit: " " },
    { why: "a zero byte", digit: "\0" },
    { why: "a byte past ASCII", digit: "\xff" },
  ])("refuses $why in every place", ({ digit }) => {
    for (const length of [40, 64]) {
      for (let index = 0; index < length; index += 1) {
        expect(read(`${"0".repeat(index)}${digit}${"0".repeat(length - index - 1)}`)).toBe(false);
      }
    }
  });

  it("refuses an address that is cut", () => {
    const codes = Buffer.from("0".repeat(39));
    expect(readAddress(codes, 0, 40, new Int32Array(ADDRESS_WORDS))).toBe(false);
  });
});

describe("addressAt", () => {
  it("keeps the zeros before and between", () => {
    const addresses = [`0x${"0".repeat(39)}1`, `0x${"80000000".repeat(5)}`, `0x${"0".repeat(63)}f`];
    const list = voterListOf(addresses);
    expect(addresses.map((_, index) => addressAt(list, index))).toEqual(addresses);
  });
});
