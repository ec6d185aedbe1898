import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyDigest } from "../../../proxy/keys/key-digest.ts";
import { makeKey } from "../../../proxy/keys/key-format.ts";
import { createKeyLookup } from "../../../proxy/keys/key-lookup.ts";
import type { KeyWithAccount } from "../../../proxy/keys/key-store.ts";

const PEPPER = "p".repeat(40);
const KEY = makeKey("live", randomBytes);
const NOW = 1_000_000;
const RECORD: KeyWithAccount = {
  keyId: "key_1",
  account: "acme",
  environment: "live",
  digest: keyDigest(PEPPER, KEY),
  createdAtMs: 0,
  expiresAtMs: null,
  revokedAtMs: null,
  successorId: null,
  pepperId: 1,
  tier: "pro",
  dailyLimit: null,
};

function setUp(record: KeyWithAccount | undefined = RECORD) {
  const world = { nowMs: NOW, record, asked: 0, isDown: false };
  const lookup = createKeyLookup({
    pepper: PEPPER,
    nowMs: () => world.nowMs,
    store: {
      findByDigest: (digest) => {
        if (world.isDown) throw new Error("away");
        world.asked += 1;
        return world.record?.digest.equals(digest) ? world.record : undefined;
      },
    },
  });
  return { world, lookup };
}

describe("createKeyLookup", () => {
  it.each([
    { why: "the tier's limit", record: RECORD, want: 10_000 },
    { why: "its own limit", record: { ...RECORD, tier: "enterprise" as const, dailyLimit: 3 }, want: 3 },
    { why: "expires later", record: { ...RECORD, expiresAtMs: NOW + 1 }, want: 10_000 },
  ])("finds the holder: $why", ({ record, want }) => {
    expect(setUp(record).lookup(KEY)).toMatchObject({ keyId: "key_1", account: "acme", dailyLimit: want });
  });

  it.each([
    { why: "revoked", record: { ...RECORD, revokedAtMs: NOW }, key: KEY },
    { why: "revoked, by a clock ahead of ours", record: { ...RECORD, revokedAtMs: NOW + 99_999 }, key: KEY },
    { why: "expired this very moment", record: { ...RECORD, expiresAtMs: NOW }, key: KEY },
    { why: "unknown", record: RECORD, key: makeKey("live", randomBytes) },
    { why: "malformed", record: RECORD, key: "x" },
    { why: "empty", record: RECORD, key: "" },
    { why: "a wrong digest for this key", record: { ...RECORD, digest: Buffer.alloc(32) }, key: KEY },
  ])("finds nobody: $why", ({ record, key }) => {
    expect(setUp(record).lookup(key)).toBeUndefined();
  });

  it("does not believe a store that hands out another key's row", () => {
    const lookup = createKeyLookup({
      pepper: PEPPER,
      nowMs: () => NOW,
      store: { findByDigest: () => ({ ...RECORD, digest: Buffer.alloc(32, 7) }) },
    });
    expect(lookup(KEY)).toBeUndefined();
  });

  it("remembers for less than a second, good keys and unknown ones", () => {
    for (const key of [KEY, makeKey("test", randomBytes)]) {
      const { world, lookup } = setUp();
      lookup(key);
      world.nowMs += 499;
      lookup(key);
      expect(world.asked).toBe(1);
      world.nowMs += 500;
      lookup(key);
      expect(world.asked).toBe(2);
    }
  });

  it("opens for three quarters of a second after the end of a key at the worst, and never for one", () => {
    const { world, lookup } = setUp();
    const isOpenAt = (sinceMs: number) => {
      world.nowMs = NOW + sinceMs;
      return lookup(KEY) !== undefined;
    };
    expect(isOpenAt(0)).toBe(true);
    world.record = { ...RECORD, revokedAtMs: NOW + 1 };
    // What was read of the store at 0 is believed at 499, and opens without being looked at again until 748.
    expect([499, 748, 749].map(isOpenAt)).toEqual([true, true, false]);
  });

  it("asks again when the clock was set back", () => {
    const { world, lookup } = setUp();
    lookup(KEY);
    world.nowMs -= 3_600_000;
    world.record = { ...RECORD, revokedAtMs: 1 };
    expect(lookup(KEY)).toBeUndefined();
  });

  it("lets an expiry end a remembered key", () => {
    const { world, lookup } = setUp({ ...RECORD, expiresAtMs: NOW + 100 });
    expect(lookup(KEY)).toBeDefined();
    world.nowMs += 100;
    expect(lookup(KEY)).toBeUndefined();
    expect(world.asked).toBe(1);
  });

  it.each([
    { why: "unknown", key: makeKey("live", randomBytes) },
    { why: "a wrong checksum", key: `${KEY.slice(0, -1)}${KEY.endsWith("0") ? "1" : "0"}` },
    { why: "malformed", key: `${KEY.slice(0, -1)}-` },
    { why: "empty, as for two header lines", key: "" },
  ])("asks the store as often as for a good key, and remembers likewise: $why", ({ key }) => {
    const { world, lookup } = setUp();
    for (const turn of [1, 2, 3]) {
      expect(lookup(key)).toBeUndefined();
      expect(world.asked).toBe(Math.ceil(turn / 2));
      world.nowMs += 400;
    }
  });

  it("lets no text in that is no key, even if a store had its digest", () => {
    const text = `${KEY.slice(0, -1)}-`;
    const { lookup } = setUp({ ...RECORD, digest: keyDigest(PEPPER, text) });
    expect(lookup(text)).toBeUndefined();
  });

  describe("under two peppers", () => {
    const EARLIER = "e".repeat(40);
    const old = makeKey("live", randomBytes);
    const records = [RECORD, { ...RECORD, keyId: "key_old", digest: keyDigest(EARLIER, old), pepperId: 0 }];
    const lookupUnder = (pepper: Parameters<typeof createKeyLookup>[0]["pepper"], asked: Buffer[] = []) =>
      createKeyLookup({
        pepper,
        nowMs: () => NOW,
        store: {
          findByDigest: (digest) => {
            asked.push(digest);
            return records.find((record) => record.digest.equals(digest));
          },
        },
      });

    it.each([
      { why: "the new key", pepper: [PEPPER, EARLIER] as const, key: KEY, want: "key_1" },
      { why: "the old key", pepper: [PEPPER, EARLIER] as const, key: old, want: "key_old" },
      {
        why: "the old key, the peppers the other way",
        pepper: [EARLIER, PEPPER] as const,
        key: old,
        want: "key_old",
      },
      { why: "the old key, its pepper taken away", pepper: [PEPPER] as const, key: old, want: undefined },
      { why: "the new key before the server knows its pepper", pepper: EARLIER, key: KEY, want: undefined },
    ])("$why: $want", ({ pepper, key, want }) => {
      expect(lookupUnder(pepper)(key)?.keyId).toBe(want);
    });

    it("asks under both for every key, found or not", () => {
      for (const key of [KEY, old, makeKey("live", randomBytes), "x"]) {
        const asked: Buffer[] = [];
        lookupUnder([PEPPER, EARLIER], asked)(key);
        expect(asked).toEqual([keyDigest(PEPPER, key), keyDigest(EARLIER, key)]);
      }
    });
  });

  it("throws where the store cannot be asked, and works again afterwards", () => {
    const { world, lookup } = setUp();
    world.isDown = true;
    expect(() => lookup(KEY)).toThrow("away");
    world.isDown = false;
    expect(lookup(KEY)).toBeDefined();
  });
});
