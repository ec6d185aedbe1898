import { describe, expect, it } from "vitest";
import { addressBytes, addressOf } from "../../../pipeline/warehouse/byte-columns.ts";

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
