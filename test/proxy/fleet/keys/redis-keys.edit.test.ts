import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fillTable } from "../../../../proxy/fleet/keys/key-entries.ts";
import { createKeyScripts, type KeyScripts, NO_POINT } from "../../../../proxy/fleet/keys/key-scripts.ts";
import { explainingStoreFailures, redisFailure } from "../../../../proxy/fleet/redis/store-failure.ts";
import { createAccount, setAccount } from "../../../../proxy/keys/accounts.ts";
import { createKey, rotateKey } from "../../../../proxy/keys/issue-keys.ts";
import { openKeyTableInMemory } from "../../../../proxy/keys/key-table.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { KEY_OPTIONS, keysInRedis, NOW_MS, PEPPER } from "./keys-in-redis.ts";

const TOKEN = "ab".repeat(16);
const ACCOUNT = JSON.stringify({ tier: "free", dailyLimit: null, createdAtMs: 0 });

describe.skipIf(REDIS_SERVER === undefined)("a change of the keys in Redis", () => {
  const { server, link, scripts, keysWith, edit, makeKey } = keysInRedis();

  it("stores digests, never a key or a pepper, without expiry and in one slot of a cluster", async () => {
    const { key, record } = await makeKey();
    const names = (await server().ask("KEYS", "*")) as string[];
    expect(names.sort()).toEqual(["govdata:{keys}:entries", "govdata:{keys}:history"]);
    const all = JSON.stringify(await Promise.all(names.map((name) => server().ask("HGETALL", name))));
    for (const secret of [key, key.slice(9, 40), PEPPER]) expect(all).not.toContain(secret);
    expect(all).toContain(record.keyId);
    for (const name of names) expect(await server().ask("TTL", name)).toBe(-1);
  });

  it("is made on top of a change that another command made meanwhile", async () => {
    const { record } = await makeKey();
    let runs = 0;
    const interrupted: KeyScripts = {
      ...scripts(),
      commit: async (...args) => {
        runs += 1;
        if (runs === 1) await edit((table) => setAccount(table, "acme", { tier: "free" }));
        return scripts().commit(...args);
      },
    };
    await keysWith({ scripts: interrupted }).edit((table) =>
      rotateKey({ table, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, record.keyId, 5),
    );
    expect(runs).toBe(2);
    await edit((table) => {
      expect(table.account("acme")?.tier).toBe("free");
      expect(table.keys(), "nothing is left of the first run").toHaveLength(2);
      expect(table.key(record.keyId)?.expiresAtMs).toBe(NOW_MS + 5);
    });
  });

  it("gives up after eight tries, and says that nothing was changed", async () => {
    let tries = 0;
    const moved: KeyScripts = {
      ...scripts(),
      commit: async () => {
        tries += 1;
        return undefined;
      },
    };
    await expect(
      keysWith({ scripts: moved }).edit((table) => createAccount(table, "acme", { tier: "pro" }, NOW_MS)),
    ).rejects.toMatchObject({ message: expect.stringContaining("nothing was changed") });
    expect(tries).toBe(8);
  });

  it.each([
    { code: "REDIS_TIMEOUT" as const, says: "it is not known whether it was made" },
    { code: "REDIS_AWAY" as const, says: "it is not known whether it was made" },
    { code: "REDIS_REFUSED" as const, says: "Redis refused (MISCONF)." },
  ])("is sent once, and says what is known of it after $code", async ({ code, says }) => {
    let writes = 0;
    const failing: KeyScripts = {
      ...scripts(),
      commit: async () => {
        writes += 1;
        throw redisFailure(code, code === "REDIS_REFUSED" ? "MISCONF" : undefined);
      },
    };
    const edited = explainingStoreFailures(() =>
      keysWith({ scripts: failing }).edit((table) =>
        createKey({ table, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, KEY_OPTIONS),
      ),
    );
    await expect(edited).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining(says),
    });
    expect(writes).toBe(1);
  });

  it("is written only onto the state that was read, by revision and by history", async () => {
    await makeKey();
    await makeKey();
    const { point } = await scripts().load(NO_POINT);
    const entries = new Map([["account:x", ACCOUNT]]);
    expect(await scripts().commit(NO_POINT, entries, TOKEN)).toBeUndefined();
    for (const lost of [
      { ...point, token: "ff" },
      { ...point, revision: point.revision - 1 },
    ])
      await expect(scripts().commit(lost, entries, TOKEN)).rejects.toMatchObject({ code: "KEYS_LOST" });
    const next = { revision: point.revision + 1, token: TOKEN };
    expect(await scripts().commit(point, entries, TOKEN)).toEqual(next);
    expect(await scripts().commit(point, entries, TOKEN), "a second time").toBeUndefined();
    expect((await scripts().load(next)).entries.get("account:x")).toBe(ACCOUNT);
  });

  it("can be made to 10,000 keys, and is in a load that began before it wholly", async () => {
    const { record } = await makeKey();
    await edit((table) => {
      for (let index = 1; index < 10_000; index += 1)
        table.addKey({ ...record, keyId: `key_${index}`, digest: randomBytes(32) });
    });
    let pages = 0;
    const interrupted = createKeyScripts({
      call: async (...args) => {
        const replies = await link().call(...args);
        pages += 1;
        if (pages === 2) await edit((table) => setAccount(table, "acme", { tier: "free" }));
        return replies;
      },
    });
    const { point, entries } = await interrupted.load(NO_POINT);
    expect(point.revision).toBe(3);
    expect(pages, "no page keeps requests waiting").toBeGreaterThan(9);
    const table = openKeyTableInMemory();
    fillTable(table, entries);
    expect(table.keys()).toHaveLength(10_000);
    expect(table.account("acme")?.tier).toBe("free");
    table.close();
  });
});

it("gives up on a list of keys that never ends", async () => {
  let pages = 0;
  const endless = createKeyScripts({
    call: async () => {
      pages += 1;
      return [["ok", "1", TOKEN, "7"]];
    },
  });
  await expect(endless.load(NO_POINT)).rejects.toMatchObject({ code: "KEYS_INVALID" });
  expect(pages).toBe(10_000);
});
