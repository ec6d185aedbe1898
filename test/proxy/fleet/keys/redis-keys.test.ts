import { describe, expect, it } from "vitest";
import { type KeyScripts, type KeysPoint, NO_POINT } from "../../../../proxy/fleet/keys/key-scripts.ts";
import { loadKeys } from "../../../../proxy/fleet/keys/redis-keys.ts";
import { redisFailure, storeFailure } from "../../../../proxy/fleet/redis/store-failure.ts";
import { setAccount } from "../../../../proxy/keys/accounts.ts";
import { revokeKey } from "../../../../proxy/keys/issue-keys.ts";
import { createKeyLookup } from "../../../../proxy/keys/key-lookup.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { keysInRedis, NOW_MS, PEPPER } from "./keys-in-redis.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe.skipIf(REDIS_SERVER === undefined)("keys that a server looks up in Redis", () => {
  const { server, scripts, keysWith, edit, makeKey } = keysInRedis();

  /** A server with its own clock, and a line to Redis that can be cut. */
  const startServer = async (parts: Parameters<typeof keysWith>[0] = {}) => {
    const state = { nowMs: NOW_MS, isCut: false };
    const cuttable: KeyScripts = {
      ...scripts(),
      find: async (...args) => {
        if (state.isCut) throw redisFailure("REDIS_AWAY");
        return scripts().find(...args);
      },
    };
    const nowMs = () => state.nowMs;
    let point = NO_POINT;
    const onChange = async (changed: KeysPoint) => {
      point = changed;
    };
    const store = keysWith({ scripts: cuttable, clocks: [nowMs], onChange, ...parts });
    await store.poll();
    const lookup = createKeyLookup({ store, peppers: [PEPPER], nowMs });
    return {
      store,
      poll: store.poll,
      state,
      /** The last state that it accepted. */
      point: () => point,
      lookup: async (key: string) => lookup(key),
    };
  };

  it("are found as they are after the next poll at the latest: made, revoked, of another tier", async () => {
    const [one, two] = [await makeKey(), await makeKey()];
    const servers = [await startServer(), await startServer()];
    for (const { lookup } of servers)
      expect(await lookup(one.key)).toMatchObject({
        keyId: one.record.keyId,
        tier: "pro",
        dailyLimit: 10_000,
      });
    await edit((table) => revokeKey(table, one.record.keyId, NOW_MS));
    await edit((table) => setAccount(table, "acme", { tier: "free" }));
    for (const { lookup, poll } of servers) {
      expect(await lookup(one.key), "cached").toBeDefined();
      await poll();
      expect(await lookup(one.key)).toBeUndefined();
      expect(await lookup(two.key)).toMatchObject({ tier: "free", dailyLimit: 100 });
    }
  });

  it.each([
    { why: "just cut off", afterMs: 0, isTrusted: true },
    { why: "the last moment", afterMs: 749, isTrusted: true },
    { why: "three quarters of a second", afterMs: 750, isTrusted: false },
    { why: "an hour", afterMs: 3_600_000, isTrusted: false },
    { why: "a clock set back", afterMs: -1, isTrusted: false },
  ])("are refused by a server without news for too long: $why", async ({ afterMs, isTrusted }) => {
    const { key } = await makeKey();
    const { lookup, poll, state, store } = await startServer();
    await lookup(key);
    state.isCut = true;
    state.nowMs += afterMs;
    await poll();
    if (isTrusted) expect(() => store.revision()).not.toThrow();
    else {
      for (const presented of [key, "gvk_live_unknown", ""])
        await expect(lookup(presented)).rejects.toEqual(coded("KEYS_STALE"));
    }
    state.isCut = false;
    await poll();
    expect(await lookup(key), "by itself, once Redis is back").toBeDefined();
  });

  it("are trusted from when Redis was asked, not from its reply, and by each clock", async () => {
    const { record } = await makeKey();
    const clock = { wallMs: NOW_MS, monotonicMs: 5 };
    const slow: KeyScripts = {
      ...scripts(),
      find: async (known, digests) => {
        const reply = await scripts().find(known, digests);
        if (digests.length === 0) clock.wallMs += 700;
        return reply;
      },
    };
    const clocks = [() => clock.wallMs, () => clock.monotonicMs];
    const { store, poll } = await startServer({ scripts: slow, clocks });
    clock.wallMs += 49;
    expect(await store.find([record.digest])).toMatchObject({ keyId: record.keyId });
    clock.wallMs += 1;
    await expect(store.find([record.digest])).rejects.toEqual(coded("KEYS_STALE"));
    await poll();
    expect(() => store.revision()).not.toThrow();
    clock.monotonicMs += 750;
    expect(() => store.revision()).toThrow(coded("KEYS_STALE"));
  });

  it("are asked for by one poll at a time", async () => {
    await makeKey();
    let calls = 0;
    const counted: KeyScripts = {
      ...scripts(),
      find: (...args) => {
        calls += 1;
        return scripts().find(...args);
      },
    };
    const { poll } = await startServer({ scripts: counted });
    await Promise.all([poll(), poll(), poll()]);
    expect(calls).toBe(2);
  });

  it.each([
    { why: "everything was emptied", lose: ["FLUSHALL"] },
    { why: "the entries were lost", lose: ["DEL", "govdata:{keys}:entries"] },
    { why: "an entry was lost", lose: ["HDEL", "govdata:{keys}:entries", "account:acme"] },
    { why: "the history was lost", lose: ["DEL", "govdata:{keys}:history"] },
    { why: "the history is a different one", lose: ["HSET", "govdata:{keys}:history", "2", "0a"] },
    {
      why: "the revision is invalid",
      lose: ["HSET", "govdata:{keys}:history", "revision", "many"],
      code: "KEYS_INVALID",
    },
    { why: "0.6.0 wrote keys", lose: ["HSET", "govdata:{keys}:rows", "a", "b"], code: "KEYS_OUTDATED" },
    { why: "an entry is of another kind", lose: ["SET", "govdata:{keys}:entries", "x"], code: "KEYS_STALE" },
  ])("are refused when $why", async ({ lose, code = "KEYS_LOST" }) => {
    const { key } = await makeKey();
    await makeKey();
    const { lookup, poll, state } = await startServer();
    const [name = "", ...args] = lose;
    await server().ask(name, ...args);
    await poll();
    // What Redis refuses to answer might be answered in a moment; what it answers wrongly ends trust at once.
    if (code === "KEYS_STALE") state.nowMs += 750;
    await expect(lookup(key)).rejects.toEqual(coded(code));
    await poll();
    await expect(lookup(key), "the second time too").rejects.toEqual(coded(code));
  });

  it("are refused from an older state that was put back, also with as many changes on top", async () => {
    const hashes = ["govdata:{keys}:entries", "govdata:{keys}:history"];
    const { key } = await makeKey();
    for (const name of hashes) await server().ask("COPY", name, `older:${name}`);
    await makeKey();
    const { lookup, poll, point } = await startServer();
    for (const name of hashes) await server().ask("COPY", `older:${name}`, name, "REPLACE");
    await poll();
    await expect(lookup(key)).rejects.toEqual(coded("KEYS_LOST"));
    for (let changes = 0; changes < 2; changes += 1) {
      await makeKey();
      await poll();
      await expect(lookup(key)).rejects.toEqual(coded("KEYS_LOST"));
      await expect(loadKeys(scripts(), point()), "by one that starts").rejects.toEqual(coded("KEYS_LOST"));
    }
  });

  it("are used again when Redis has back what it had", async () => {
    const { key, record } = await makeKey();
    const { lookup, poll } = await startServer();
    await server().ask("RENAME", "govdata:{keys}:history", "aside");
    await poll();
    await expect(lookup(key)).rejects.toEqual(coded("KEYS_LOST"));
    await server().ask("RENAME", "aside", "govdata:{keys}:history");
    await edit((table) => revokeKey(table, record.keyId, NOW_MS));
    await poll();
    expect(await lookup(key)).toBeUndefined();
  });

  it("are refused while a change cannot be accepted", async () => {
    const { key } = await makeKey();
    let isRefused = false;
    const onChange = async () => {
      if (isRefused) throw storeFailure("KEYS_PEPPER");
    };
    const { lookup, poll } = await startServer({ onChange });
    isRefused = true;
    await edit((table) => setAccount(table, "acme", { tier: "free" }));
    await poll();
    await expect(lookup(key)).rejects.toEqual(coded("KEYS_PEPPER"));
    isRefused = false;
    await poll();
    expect(await lookup(key)).toMatchObject({ tier: "free" });
  });

  it("are not named by any error, nor are digests or addresses", async () => {
    const { key, record } = await makeKey();
    const { lookup, poll, state } = await startServer();
    const errors: unknown[] = [];
    const note = async () => {
      const error = await lookup(key).catch((thrown: unknown) => thrown);
      errors.push(error, error instanceof Error ? [error.message, error.stack, error.cause] : "");
    };
    state.isCut = true;
    state.nowMs += 800;
    await poll();
    await note();
    state.isCut = false;
    const digest = record.digest.toString("hex");
    await poll();
    await server().ask(
      "HSET",
      "govdata:{keys}:entries",
      `key:${digest}`,
      `{"account":"acme","key":"${key}"}`,
    );
    await note();
    expect(errors[2]).toMatchObject({ code: "KEYS_INVALID" });
    await server().ask("FLUSHALL");
    await poll();
    await note();
    const text = JSON.stringify(errors);
    for (const secret of [key, digest, PEPPER, String(server().port)]) expect(text).not.toContain(secret);
  });
});
