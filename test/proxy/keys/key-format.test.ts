import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormedKey, keyChecksum, makeKey, makeKeyId } from "../../../proxy/keys/key-format.ts";

const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("the digits of a key", () => {
  it.each([
    // CRC-32 ("123456789") is 0xCBF43926, the check value every implementation is held to.
    { why: "the check value of CRC-32", text: "123456789", want: "3jZRME" },
    { why: "nothing", text: "", want: "000000" },
  ])("checksum: $why", ({ text, want }) => {
    expect(keyChecksum(text)).toBe(want);
  });

  it("write every checksum so that it can be read back", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const digits = [...keyChecksum(text)];
        expect(digits).toHaveLength(6);
        const value = digits.reduce((sum, digit) => sum * 62 + BASE62_DIGITS.indexOf(digit), 0);
        expect(value).toBe(crc32(text));
      }),
    );
  });

  it("throw away bytes that would make some of them likelier", () => {
    const source = [255, 248, 247, 0, 61, 62];
    expect(makeKeyId(() => Uint8Array.from(source))).toBe(`key_${"z0z0".repeat(3)}`);
  });

  it("are not sought for ever in a source that gives nothing usable", () => {
    expect(() => makeKeyId((count) => new Uint8Array(count).fill(255))).toThrow("random source");
  });
});

describe("keys", () => {
  it("accepts a key of known bytes", () => {
    const key = makeKey("live", (count) => new Uint8Array(count).fill(0));
    expect(key).toBe(`gvk_live_${"0".repeat(40)}${keyChecksum(`gvk_live_${"0".repeat(40)}`)}`);
    expect(isWellFormedKey(key)).toBe(true);
  });

  it("makes keys of the one shape, all different", () => {
    const keys = Array.from({ length: 500 }, (_, index) => makeKey(index % 2 ? "live" : "test", randomBytes));
    for (const key of keys) {
      expect(key).toMatch(/^gvk_(live|test)_[0-9A-Za-z]{46}$/);
      expect(isWellFormedKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(500);
    expect(makeKeyId(randomBytes)).toMatch(/^key_[0-9A-Za-z]{12}$/);
  });

  it("notices every single changed character", () => {
    const key = makeKey("live", randomBytes);
    const change = fc.tuple(fc.nat(key.length - 1), fc.constantFrom(...BASE62_DIGITS));
    fc.assert(
      fc.property(change, ([index, digit]) => {
        const changed = key.slice(0, index) + digit + key.slice(index + 1);
        expect(isWellFormedKey(changed)).toBe(changed === key);
      }),
    );
  });

  it.each([
    { why: "a digit too few", body: `gvk_live_${"0".repeat(39)}` },
    { why: "a digit too many", body: `gvk_live_${"0".repeat(41)}` },
    { why: "another kind", body: `gvk_prod_${"0".repeat(40)}` },
    { why: "a strange first digit", body: `gvk_live_-${"0".repeat(39)}` },
    { why: "a strange last digit", body: `gvk_live_${"0".repeat(39)}-` },
    { why: "a digit that is not ASCII", body: `gvk_live_${"0".repeat(20)}é${"0".repeat(19)}` },
    { why: "two strange digits", body: `gvk_live_--${"0".repeat(38)}` },
  ])("refuses one whose checksum holds: $why", ({ body }) => {
    expect(isWellFormedKey(`${body}${keyChecksum(body)}`)).toBe(false);
  });

  it("refuses any other text", () => {
    const key = makeKey("live", randomBytes);
    for (const text of ["", " ", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
      expect(isWellFormedKey(text)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  });
});
