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

  it("asks the store nothing about a key whose checksum is wrong", () => {
    const { world, lookup } = setUp();
    lookup(`${KEY.slice(0, -1)}-`);
    expect(world.asked).toBe(0);
  });

  it("throws where the store cannot be asked, and works again afterwards", () => {
    const { world, lookup } = setUp();
    world.isDown = true;
    expect(() => lookup(KEY)).toThrow("away");
    world.isDown = false;
    expect(lookup(KEY)).toBeDefined();
  });
});
