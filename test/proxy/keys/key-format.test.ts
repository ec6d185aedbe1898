import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormedKey, makeKey, makeKeyId } from "../../../proxy/keys/key-format.ts";

const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The checksum as the documents describe it: CRC-32 in six digits of base62. */
const checksum = (body: string) =>
  Array.from({ length: 6 }, (_, n) => BASE62_DIGITS[Math.floor(crc32(body) / 62 ** (5 - n)) % 62]).join("");

describe("the digits of a key", () => {
  it("end with a checksum that others can compute, also where that begins with zeros", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 40, maxLength: 40, max: 247 }), (bytes) => {
        const key = makeKey("live", () => bytes);
        expect(key.slice(-6)).toBe(checksum(key.slice(0, -6)));
      }),
    );
    // CRC-32 ("123456789") is 0xCBF43926, the check value every implementation is held to.
    expect([checksum("123456789"), checksum("")]).toEqual(["3jZRME", "000000"]);
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
  it("have one shape, and are all different", () => {
    const keys = Array.from({ length: 500 }, (_, index) => makeKey(index % 2 ? "live" : "test", randomBytes));
    for (const key of keys) {
      expect(key).toMatch(/^gvk_(live|test)_[0-9A-Za-z]{46}$/);
      expect(isWellFormedKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(500);
    expect(makeKeyId(randomBytes)).toMatch(/^key_[0-9A-Za-z]{12}$/);
  });

  it("are not well formed with any single character changed", () => {
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
  ])("are not well formed although the checksum holds: $why", ({ body }) => {
    expect(isWellFormedKey(`${body}${checksum(body)}`)).toBe(false);
  });

  it("are no other text", () => {
    const key = makeKey("live", randomBytes);
    for (const text of ["", " ", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
      expect(isWellFormedKey(text)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  });
});
