import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressText, addressWords, isAddress } from "../../../pipeline/facts/voters.ts";
import { addressAt, arbitraryAddress, voterListOf } from "./voter-lists.ts";

describe("addressWords", () => {
  it("gives words from which the same text is written, wherever they stand", () => {
    fc.assert(
      fc.property(arbitraryAddress, fc.nat(5), (address, at) => {
        const { words, isLong } = addressWords(address);
        expect(isLong).toBe(address.length === 66);
        expect(addressText(Int32Array.of(...new Int32Array(at).fill(7), ...words), at, isLong)).toBe(address);
      }),
    );
  });

  it("leaves the last three words of a short address 0", () => {
    expect([...addressWords(`0x${"1".repeat(40)}`).words.subarray(5)]).toEqual([0, 0, 0]);
  });

  it.each([
    { why: "an upper-case digit", digit: "A" },
    { why: "a letter past f", digit: "g" },
    { why: "the sign before 0", digit: "/" },
    { why: "the sign after 9", digit: ":" },
    { why: "the sign before a", digit: "`" },
    { why: "a blank", digit: " " },
    { why: "a zero byte", digit: "\0" },
    { why: "a byte past ASCII", digit: "\xff" },
  ])("refuses $why in every place", ({ digit }) => {
    for (const length of [40, 64]) {
      for (let index = 0; index < length; index += 1) {
        const address = `0x${"0".repeat(index)}${digit}${"0".repeat(length - index - 1)}`;
        expect(isAddress(address)).toBe(false);
        expect(() => addressWords(address)).toThrow("lower-case hex");
      }
    }
  });

  it.each([
    { why: "39 digits", address: `0x${"f".repeat(39)}` },
    { why: "41 digits", address: `0x${"f".repeat(41)}` },
    { why: "63 digits", address: `0x${"f".repeat(63)}` },
    { why: "an upper-case prefix", address: `0X${"0f".repeat(20)}` },
    { why: "no prefix", address: "0f".repeat(20) },
    { why: "a line break at the end", address: `0x${"f".repeat(40)}\n` },
    { why: "nothing", address: "" },
  ])("refuses $why", ({ address }) => {
    expect(() => addressWords(address)).toThrow("lower-case hex");
  });
});

describe("addressText", () => {
  it("keeps the zeros before and between", () => {
    const addresses = [`0x${"0".repeat(39)}1`, `0x${"80000000".repeat(5)}`, `0x${"0".repeat(63)}f`];
    const list = voterListOf(addresses);
    expect(addresses.map((_, index) => addressAt(list, index))).toEqual(addresses);
  });
});
