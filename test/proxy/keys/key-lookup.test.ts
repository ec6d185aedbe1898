import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../../proxy/keys/key-format.ts";
import { createKeyLookup, type KeyHolder, type KeyLookup } from "../../../proxy/keys/key-lookup.ts";
import type { KeyWithAccount } from "../../../proxy/keys/key-table.ts";
import { keyDigest, type Peppers } from "../../../proxy/keys/peppers.ts";

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

/** The result of a store in a file, which has to be there at once. */
function atOnce(result: ReturnType<KeyLookup>): KeyHolder | undefined {
  if (result instanceof Promise) throw new Error("a file was waited for");
  return result;
}

function setUp(record: KeyWithAccount | undefined = RECORD, isDown = false) {
  const world = {
    nowMs: NOW,
    record: record as KeyWithAccount | undefined,
    asked: 0,
    revision: 1,
    isDown,
  };
  const lookup = createKeyLookup({
    peppers: [PEPPER],
    nowMs: () => world.nowMs,
    store: {
      revision: () => {
        if (world.isDown) throw new Error("away");
        return world.revision;
      },
      find: ([digest]) => {
        world.asked += 1;
        return digest !== undefined && world.record?.digest.equals(digest) ? world.record : undefined;
      },
    },
  });
  return { world, lookup: (key: string) => atOnce(lookup(key)) };
}

describe("createKeyLookup", () => {
  it("can be made while the store does not answer, throws then, and answers once it does", () => {
    const { world, lookup } = setUp(RECORD, true);
    expect(() => lookup(KEY)).toThrow("away");
    world.isDown = false;
    expect(lookup(KEY)?.account).toBe("acme");
  });

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
    { why: "a wrong digest for this key", record: { ...RECORD, digest: Buffer.alloc(32) }, key: KEY },
  ])("finds nobody: $why", ({ record, key }) => {
    expect(setUp(record).lookup(key)).toBeUndefined();
  });

  it("remembers good keys and unknown ones while the store stays as it is, five seconds at most", () => {
    for (const key of [KEY, makeKey("test", randomBytes)]) {
      const { world, lookup } = setUp();
      for (const afterMs of [0, 1, 4_998]) {
        world.nowMs += afterMs;
        lookup(key);
      }
      expect(world.asked).toBe(1);
      world.nowMs += 1;
      lookup(key);
      expect(world.asked).toBe(2);
    }
  });

  it.each([
    { why: "revoked", record: { ...RECORD, revokedAtMs: NOW }, want: undefined },
    { why: "of an account with another limit", record: { ...RECORD, tier: "free" as const }, want: 100 },
    { why: "gone", record: undefined, want: undefined },
  ])("forgets all of it when the store is another one: $why", ({ record, want }) => {
    const { world, lookup } = setUp();
    expect(lookup(KEY)?.dailyLimit).toBe(10_000);
    world.record = record;
    expect(lookup(KEY)?.dailyLimit, "still the same store").toBe(10_000);
    world.revision += 1;
    expect(lookup(KEY)?.dailyLimit).toBe(want);
    world.record = RECORD;
    world.revision -= 1;
    expect(lookup(KEY), "an older one put back is another one too").toBeDefined();
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
    { why: "a wrong checksum", key: `${KEY.slice(0, -1)}${KEY.endsWith("0") ? "1" : "0"}` },
    { why: "malformed", key: `${KEY.slice(0, -1)}-` },
    { why: "empty, as for two header lines", key: "" },
    { why: "long", key: KEY.repeat(100) },
  ])("neither seeks nor remembers what can be no key, and refuses it as any other: $why", ({ key }) => {
    const { world, lookup } = setUp({ ...RECORD, digest: keyDigest(PEPPER, key) });
    expect(lookup(key), "even if a store had its digest").toBeUndefined();
    expect(world.asked).toBe(0);
    world.isDown = true;
    expect(() => lookup(key), "nobody is told 401 by a store that is away").toThrow("away");
  });

  describe("under two peppers", () => {
    const EARLIER = "e".repeat(40);
    const old = makeKey("live", randomBytes);
    const records = [RECORD, { ...RECORD, keyId: "key_old", digest: keyDigest(EARLIER, old), pepperId: 0 }];

    it.each<{ why: string; peppers: Peppers; key: string; want: string | undefined }>([
      { why: "the new key", peppers: [PEPPER, EARLIER], key: KEY, want: "key_1" },
      { why: "the old key", peppers: [PEPPER, EARLIER], key: old, want: "key_old" },
      {
        why: "the old key, the peppers the other way",
        peppers: [EARLIER, PEPPER],
        key: old,
        want: "key_old",
      },
      { why: "the old key, its pepper taken away", peppers: [PEPPER], key: old, want: undefined },
      { why: "the new key, its pepper not known yet", peppers: [EARLIER], key: KEY, want: undefined },
    ])("asks under the newest first, and under the next: $why: $want", ({ peppers, key, want }) => {
      const asked: Buffer[] = [];
      const find = (digests: readonly Buffer[]) => {
        asked.push(...digests);
        return digests.flatMap((digest) => records.filter((record) => record.digest.equals(digest)))[0];
      };
      const lookup = createKeyLookup({ peppers, nowMs: () => NOW, store: { revision: () => 1, find } });
      expect(atOnce(lookup(key))?.keyId).toBe(want);
      expect(asked).toEqual(peppers.map((pepper) => keyDigest(pepper, key)));
    });
  });

  describe("in a store on another machine", () => {
    const remote = () => {
      const state = { revision: 1, isStale: false, asked: 0, reply: (_record: KeyWithAccount) => {} };
      const lookup = createKeyLookup({
        peppers: [PEPPER],
        nowMs: () => NOW,
        store: {
          revision: () => {
            if (state.isStale) throw new Error("stale");
            return state.revision;
          },
          find: () => {
            state.asked += 1;
            return new Promise((resolve) => {
              state.reply = resolve;
            });
          },
        },
      });
      return { state, lookup };
    };

    it("caches a reply, and answers from the cache at once", async () => {
      const { state, lookup } = remote();
      const first = lookup(KEY);
      state.reply(RECORD);
      expect(await first).toMatchObject({ keyId: "key_1" });
      expect(lookup(KEY)).toMatchObject({ keyId: "key_1" });
      expect(state.asked).toBe(1);
    });

    it("does not cache a reply from before a change that was noticed meanwhile", async () => {
      const { state, lookup } = remote();
      const first = lookup(KEY);
      state.revision += 1;
      state.reply(RECORD);
      await first;
      const second = lookup(KEY);
      state.reply({ ...RECORD, revokedAtMs: NOW });
      expect(await second).toBeUndefined();
    });

    it("uses no reply that comes when changes can no longer be noticed", async () => {
      const { state, lookup } = remote();
      const first = lookup(KEY);
      state.isStale = true;
      state.reply(RECORD);
      await expect(first).rejects.toThrow("stale");
    });
  });
});
