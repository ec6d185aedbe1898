import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createPseudonyms } from "../../../../../pipeline/tools/export/partitioned/pseudonyms.ts";

const SECRET = Buffer.alloc(32, 7);
const pseudonyms = createPseudonyms(SECRET);
const other = createPseudonyms(Buffer.alloc(32, 8));
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const entityId = fc.integer({ min: 0 }).map((number) => `ent_${number.toString(36).padStart(26, "0")}`);
const PSEUDONYM = /^[0-9a-f]{32}$/;

it("a voter's is the first half of an HMAC-SHA-256, so that others can make it again who have the secret", () => {
  const wallet = `0x${"ab".repeat(20)}`;
  const digest = createHmac("sha256", SECRET).update(`wallet ${wallet}`).digest("hex");
  expect(pseudonyms.voterIdOf(wallet)).toBe(digest.slice(0, 32));
  expect(pseudonyms.personIdOf(wallet, undefined)).toBe(digest.slice(32));
  expect(pseudonyms.digestOf(wallet).toString("hex")).toBe(digest);
});

it("the same wallet has the same names, and under another secret other ones", () => {
  fc.assert(
    fc.property(address, (wallet) => {
      const names = [
        pseudonyms.voterIdOf(wallet),
        pseudonyms.accountIdOf(wallet),
        pseudonyms.personIdOf(wallet, undefined),
      ];
      expect(createPseudonyms(SECRET).voterIdOf(wallet)).toBe(names[0]);
      for (const name of names) expect(name).toMatch(PSEUDONYM);
      const others = [
        other.voterIdOf(wallet),
        other.accountIdOf(wallet),
        other.personIdOf(wallet, undefined),
      ];
      expect(new Set([...names, ...others]).size, "no two of them are one").toBe(6);
    }),
  );
});

it("wallets of one entity are one person, of two they are two, and their voters differ", () => {
  fc.assert(
    fc.property(address, address, entityId, entityId, (one, two, first, second) => {
      fc.pre(one !== two && first !== second);
      expect(pseudonyms.personIdOf(one, first)).toBe(pseudonyms.personIdOf(two, first));
      expect(pseudonyms.personIdOf(one, first)).not.toBe(pseudonyms.personIdOf(one, second));
      expect(pseudonyms.personIdOf(one, first)).not.toBe(pseudonyms.personIdOf(one, undefined));
      expect(pseudonyms.personIdOf(one, first)).toMatch(PSEUDONYM);
      expect(pseudonyms.entityBytes(first).toString("hex")).toBe(pseudonyms.personIdOf(one, first));
      expect(pseudonyms.voterIdOf(one)).not.toBe(pseudonyms.voterIdOf(two));
    }),
  );
});

it("is no plain hash, which anybody could make of a list of addresses", () => {
  const wallet = `0x${"cd".repeat(20)}`;
  for (const text of [wallet, `wallet ${wallet}`]) {
    const plain = createHash("sha256").update(text).digest("hex");
    expect(plain).not.toContain(pseudonyms.voterIdOf(wallet));
  }
});

it("tells two secrets apart without giving one away", () => {
  expect(pseudonyms.keyId).toMatch(/^[0-9a-f]{16}$/);
  expect(pseudonyms.keyId).toBe(createPseudonyms(SECRET).keyId);
  expect(pseudonyms.keyId).not.toBe(other.keyId);
  expect(SECRET.toString("hex")).not.toContain(pseudonyms.keyId);
});
