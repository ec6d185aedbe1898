import { describe, expect, it } from "vitest";
import { loadKeyBook } from "../../../../proxy/fleet/keys/edit-key-book.ts";
import { type FollowParts, followKeyBook } from "../../../../proxy/fleet/keys/follow-key-book.ts";
import { type KeyBook, KeyBookError, NO_POINT } from "../../../../proxy/fleet/keys/key-book.ts";
import { RedisError } from "../../../../proxy/fleet/redis/redis-connection.ts";
import { setAccount } from "../../../../proxy/keys/accounts.ts";
import { revokeKey } from "../../../../proxy/keys/issue-keys.ts";
import { createKeyLookup } from "../../../../proxy/keys/key-lookup.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { bookStand, NOW_MS, PEPPER } from "./book-stand.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe.skipIf(REDIS_SERVER === undefined)("a proxy that follows the book", () => {
  const { server, book, calls, edit, makeKey } = bookStand();

  /** A proxy with a clock of its own, and a link that can be cut. */
  const follower = async (parts: Partial<FollowParts> = {}) => {
    const state = { nowMs: NOW_MS, isCut: false };
    const cuttable: KeyBook = {
      ...book(),
      readSince: async (...points) => {
        if (state.isCut) throw new RedisError("REDIS_AWAY");
        return book().readSince(...points);
      },
    };
    const nowMs = () => state.nowMs;
    const followed = await followKeyBook({
      book: cuttable,
      known: NO_POINT,
      clocks: [nowMs],
      onChange: () => {},
      ...parts,
    });
    const lookup = createKeyLookup({ store: followed.asked, peppers: [PEPPER], nowMs });
    return { ...followed, state, lookup };
  };

  it("knows a key that was made, and no longer one that was revoked, with the next answer", async () => {
    const [one, two] = [await makeKey(), await makeKey()];
    const proxies = [await follower(), await follower()];
    const third = await makeKey();
    for (const { lookup, poll } of proxies) {
      expect(lookup(one.key)).toMatchObject({ keyId: one.record.keyId, tier: "pro", dailyLimit: 10_000 });
      expect(lookup(third.key)).toBeUndefined();
      await poll();
      expect(lookup(third.key), "asked a moment ago, and unknown then").toMatchObject({ account: "acme" });
    }
    await edit((store) => revokeKey(store, one.record.keyId, NOW_MS));
    await edit((store) => setAccount(store, "acme", { tier: "free" }));
    for (const { lookup, poll } of proxies) {
      expect(lookup(one.key), "opened a moment ago").toBeDefined();
      await poll();
      expect(lookup(one.key), "opened a moment ago, and revoked since").toBeUndefined();
      expect(lookup(two.key)).toMatchObject({ tier: "free", dailyLimit: 100 });
    }
  });

  it("asks once a poll, and never twice at a time", async () => {
    await makeKey();
    const { poll } = await follower();
    const before = calls().length;
    await Promise.all([poll(), poll(), poll()]);
    expect(calls().length - before).toBe(1);
    await poll();
    expect(calls().length - before).toBe(2);
  });

  it.each([
    { why: "just cut", afterMs: 0, isOpen: true },
    { why: "to the last moment", afterMs: 749, isOpen: true },
    { why: "three quarters of a second", afterMs: 750, isOpen: false },
    { why: "an hour", afterMs: 3_600_000, isOpen: false },
    { why: "a clock set back", afterMs: -1, isOpen: false },
  ])("that is cut off answers nobody for longer than it may: $why", async ({ afterMs, isOpen }) => {
    const { key } = await makeKey();
    const { lookup, poll, state } = await follower();
    expect(lookup(key)).toBeDefined();
    state.isCut = true;
    state.nowMs += afterMs;
    await poll();
    for (const presented of [key, "gvk_live_unknown", ""]) {
      if (isOpen) expect(() => lookup(presented)).not.toThrow();
      else expect(() => lookup(presented)).toThrow(coded("KEYS_STALE"));
    }
    state.isCut = false;
    await poll();
    expect(lookup(key), "by itself, once Redis is back").toBeDefined();
  });

  it("counts from when it asked, not from when the answer came, and by the clock that says more", async () => {
    const { record } = await makeKey();
    const clock = { wallMs: NOW_MS, otherMs: 5 };
    const slow: KeyBook = {
      ...book(),
      readSince: async (...points) => {
        const news = await book().readSince(...points);
        clock.wallMs += 700;
        return news;
      },
    };
    const clocks = [() => clock.wallMs, () => clock.otherMs];
    const { asked, poll } = await follower({ book: slow, clocks });
    clock.wallMs += 49;
    expect(asked.findByDigest(record.digest)).toBeDefined();
    clock.wallMs += 1;
    expect(() => asked.findByDigest(record.digest)).toThrow(coded("KEYS_STALE"));
    await poll();
    clock.wallMs += 49;
    expect(asked.findByDigest(record.digest)?.keyId).toBe(record.keyId);
    clock.wallMs += 1;
    expect(() => asked.revision()).toThrow(coded("KEYS_STALE"));
    await poll();
    expect(() => asked.revision()).not.toThrow();
    clock.otherMs += 750;
    expect(() => asked.revision()).toThrow(coded("KEYS_STALE"));
  });

  it.each([
    { why: "everything was emptied", lose: ["FLUSHALL"] },
    { why: "the rows alone went", lose: ["DEL", "govdata:{keys}:rows"] },
    { why: "a row went", lose: ["HDEL", "govdata:{keys}:rows", "account:acme"] },
    { why: "rows and changes went", lose: ["DEL", "govdata:{keys}:rows", "govdata:{keys}:changed"] },
    { why: "the history went", lose: ["DEL", "govdata:{keys}:commits"] },
    { why: "the revision went", lose: ["DEL", "govdata:{keys}:revision"] },
    { why: "a lower revision", lose: ["SET", "govdata:{keys}:revision", "2"] },
    { why: "no number", lose: ["SET", "govdata:{keys}:revision", "many"] },
    { why: "another kind of thing", lose: ["SET", "govdata:{keys}:rows", "x"], code: "KEYS_STALE" },
  ])("answers nobody where $why", async ({ lose, code = "KEYS_LOST" }) => {
    const { key } = await makeKey();
    await makeKey();
    const { lookup, poll, state } = await follower();
    const [name = "", ...args] = lose;
    await server().ask(name, ...args);
    await poll();
    // What Redis refuses to answer might be answered in a moment; what it answers wrongly ends it at once.
    if (code === "KEYS_STALE") state.nowMs += 750;
    expect(() => lookup(key)).toThrow(coded(code));
    await poll();
    expect(() => lookup(key), "the second time too").toThrow(KeyBookError);
  });

  it("answers nobody from a book that was begun anew, however far that has come", async () => {
    const { key } = await makeKey();
    const { lookup, poll } = await follower();
    await server().ask("FLUSHALL");
    for (let index = 0; index < 5; index += 1) await makeKey();
    await poll();
    expect(() => lookup(key)).toThrow(coded("KEYS_LOST"));
  });

  it("answers again when Redis has back what it had, and knows what came since", async () => {
    const { key, record } = await makeKey();
    const { lookup, poll } = await follower();
    await server().ask("RENAME", "govdata:{keys}:commits", "aside");
    await poll();
    expect(() => lookup(key)).toThrow(coded("KEYS_LOST"));
    await server().ask("RENAME", "aside", "govdata:{keys}:commits");
    await edit((store) => revokeKey(store, record.keyId, NOW_MS));
    await poll();
    expect(lookup(key)).toBeUndefined();
  });

  it("is not started on a book that is not the one it saw last, nor on an older state of it", async () => {
    await makeKey();
    const { point } = await loadKeyBook(book());
    await makeKey();
    await expect(follower({ known: point }), "went on meanwhile").resolves.toBeDefined();
    await expect(follower({ known: { ...point, token: "0a" } })).rejects.toEqual(coded("KEYS_LOST"));
    await expect(follower({ known: { revision: 99, token: "0a" } })).rejects.toEqual(coded("KEYS_LOST"));
  });

  it.each([
    { why: "what is no row", field: "account:acme", json: "{}" },
    { why: "a row that cannot stand", field: "key:key_a", json: keyOf("nobody") },
    { why: "a name of somebody else's", field: "hello", json: "{}" },
  ])(
    "takes in nothing of a change with $why, and answers nobody until it is gone",
    async ({ field, json }) => {
      const { key, record } = await makeKey();
      const { lookup, poll, store } = await follower();
      const at = (await book().readSince(NO_POINT)).point;
      const end = { field: `key:${record.keyId}`, json: JSON.stringify({ broken: true }) };
      expect(await book().commit(at, [end, { field, json }], "0b")).toBe(true);
      await poll();
      expect(() => lookup(key)).toThrow(coded("KEYS_INVALID"));
      expect(store.account("acme")?.tier).toBe("pro");
      await expect(loadKeyBook(book())).rejects.toEqual(coded("KEYS_INVALID"));
    },
  );

  it("answers nobody while it may not use what it took in", async () => {
    const { key } = await makeKey();
    let isRefused = false;
    const onChange = () => {
      if (isRefused) throw new KeyBookError("KEYS_PEPPER", "another pepper");
    };
    const { lookup, poll } = await follower({ onChange });
    isRefused = true;
    await edit((store) => setAccount(store, "acme", { tier: "free" }));
    await poll();
    expect(() => lookup(key)).toThrow(coded("KEYS_PEPPER"));
    isRefused = false;
    await poll();
    expect(lookup(key)).toMatchObject({ tier: "free" });
  });

  it("says nothing of keys, digests or addresses in any of its errors", async () => {
    const { key, record } = await makeKey();
    const { lookup, poll, state } = await follower();
    const told: unknown[] = [];
    const tell = () => {
      try {
        lookup(key);
      } catch (error) {
        told.push(error, error instanceof Error ? [error.message, error.stack, error.cause] : "");
      }
    };
    state.isCut = true;
    state.nowMs += 800;
    await poll();
    tell();
    state.isCut = false;
    const digest = record.digest.toString("hex");
    await server().ask(
      "HSET",
      "govdata:{keys}:rows",
      `key:${record.keyId}`,
      `{"digest":"${digest}","key":"${key}"}`,
    );
    await server().ask("ZADD", "govdata:{keys}:changed", 9, `key:${record.keyId}`);
    await server().ask("SET", "govdata:{keys}:revision", 9);
    await server().ask("HSET", "govdata:{keys}:commits", 9, "0a");
    await poll();
    tell();
    await server().ask("FLUSHALL");
    await poll();
    tell();
    expect(told).toHaveLength(6);
    const text = JSON.stringify(told);
    for (const secret of [key, digest, PEPPER, String(server().port)]) expect(text).not.toContain(secret);
  });
});

function keyOf(account: string): string {
  return JSON.stringify({
    account,
    environment: "live",
    digest: "0a".repeat(32),
    createdAtMs: 1,
    expiresAtMs: null,
    revokedAtMs: null,
    successorId: null,
    pepperId: 1,
  });
}
