import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { editKeyBook, loadKeyBook } from "../../../../proxy/fleet/keys/edit-key-book.ts";
import { explainingBookFailures, type KeyBook, NO_POINT } from "../../../../proxy/fleet/keys/key-book.ts";
import { createMemoryBook } from "../../../../proxy/fleet/keys/memory-book.ts";
import { RedisError } from "../../../../proxy/fleet/redis/redis-connection.ts";
import { createAccount, setAccount } from "../../../../proxy/keys/accounts.ts";
import { createKey, revokeKey, rotateKey } from "../../../../proxy/keys/issue-keys.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { bookStand, NOW_MS, PEPPER, WISH } from "./book-stand.ts";

const coded = (code: string) => expect.objectContaining({ code });
const TOKEN = "ab".repeat(16);

describe.skipIf(REDIS_SERVER === undefined)("a book of keys in a real Redis", () => {
  const { server, book, calls, edit, makeKey } = bookStand();
  const rowsNow = async () => (await loadKeyBook(book())).copy.rows();

  it("is begun by the first command that begins something, and by no other", async () => {
    const options = { randomBytes, mayBegin: false };
    await expect(editKeyBook(book(), options, (store) => store.keys())).rejects.toEqual(
      coded("KEYS_MISSING"),
    );
    expect(await server().ask("DBSIZE")).toBe(0);
    await makeKey();
    expect(await editKeyBook(book(), options, (store) => store.keys().length)).toBe(1);
  });

  it("holds digests, and never a key or a pepper; all of it in one slot of a cluster", async () => {
    const { key, record } = await makeKey();
    const names = (await server().ask("KEYS", "*")) as string[];
    const all = JSON.stringify([
      names,
      await server().ask("HGETALL", "govdata:{keys}:rows"),
      await server().ask("HGETALL", "govdata:{keys}:commits"),
      await server().ask("ZRANGE", "govdata:{keys}:changed", 0, -1),
    ]);
    for (const secret of [key, key.slice(9, 40), PEPPER]) expect(all).not.toContain(secret);
    expect(all).toContain(record.keyId);
    expect(names).toHaveLength(4);
    for (const name of names) expect(name).toMatch(/^govdata:\{keys\}:/);
  });

  it("writes what a command changed and nothing else", async () => {
    const { record } = await makeKey();
    await edit((store) => createAccount(store, "other", { tier: "free" }, NOW_MS));
    const { point } = await loadKeyBook(book());
    await edit((store) => revokeKey(store, record.keyId, NOW_MS + 1));
    const news = await book().readSince(point);
    expect(news.rows.map(({ field }) => field)).toEqual([`key:${record.keyId}`]);
    await edit((store) => revokeKey(store, record.keyId, NOW_MS + 9));
    expect((await loadKeyBook(book())).point, "revoked before: nothing to write").toEqual(news.point);
  });

  it("is as it was where a command fails", async () => {
    await makeKey();
    const before = await rowsNow();
    await expect(edit((store) => createAccount(store, "acme", { tier: "pro" }, NOW_MS))).rejects.toEqual(
      coded("ACCOUNT_EXISTS"),
    );
    await expect(
      edit((store) => {
        createAccount(store, "half", { tier: "pro" }, NOW_MS);
        throw new Error("given up");
      }),
    ).rejects.toThrow("given up");
    expect(await rowsNow()).toEqual(before);
  });

  it("takes back a pepper under which nothing was ever stored", async () => {
    await edit((store) => {
      createAccount(store, "acme", { tier: "pro" }, NOW_MS);
      store.acceptsPeppers(["first".repeat(9)]);
      store.pepperIdOf("second".repeat(9));
    });
    expect([...(await rowsNow()).keys()].sort()).toEqual(["account:acme", "pepper:1", "pepper:2"]);
    await edit((store) => store.acceptsPeppers(["second".repeat(9)]));
    expect([...(await rowsNow()).keys()].sort()).toEqual(["account:acme", "pepper:2"]);
    expect(await edit((store) => store.acceptsPeppers(["second".repeat(9)]))).toBe(true);
  });

  it("lets both land where two commands write at the same moment, the second on top of the first", async () => {
    const { record } = await makeKey();
    let runs = 0;
    /** Writes something else between the reading and the writing of the first run. */
    const between: KeyBook = {
      ...book(),
      commit: async (at, rows, token) => {
        runs += 1;
        if (runs === 1) await edit((store) => setAccount(store, "acme", { tier: "free" }));
        return book().commit(at, rows, token);
      },
    };
    await editKeyBook(between, { randomBytes, mayBegin: true }, (store) =>
      rotateKey({ store, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, record.keyId, 5),
    );
    expect(runs).toBe(2);
    const { copy } = await loadKeyBook(book());
    expect(copy.store.account("acme")?.tier).toBe("free");
    expect(copy.store.keys(), "of the run that did not land nothing is left").toHaveLength(2);
    expect(copy.store.key(record.keyId)?.expiresAtMs).toBe(NOW_MS + 5);
  });

  it("lets twelve commands land that were given at once", async () => {
    await makeKey();
    const names = Array.from({ length: 6 }, (_, index) => `a${index}`);
    await Promise.all(
      names.map((name) => edit((store) => createAccount(store, name, { tier: "free" }, NOW_MS))),
    );
    expect((await edit((store) => store.accounts())).map(({ name }) => name)).toEqual([...names, "acme"]);
  });

  it("gives up where others write all the time, and says that nothing was changed", async () => {
    const never: KeyBook = { ...book(), commit: async () => false };
    await expect(
      editKeyBook(never, { randomBytes, mayBegin: true }, (store) =>
        createAccount(store, "acme", { tier: "pro" }, NOW_MS),
      ),
    ).rejects.toEqual(expect.objectContaining({ message: expect.stringContaining("nothing was changed") }));
    expect(await server().ask("DBSIZE")).toBe(0);
  });

  it.each([
    { why: "no answer", code: "REDIS_TIMEOUT" as const, says: "it is not known whether it was made" },
    { why: "cut off", code: "REDIS_AWAY" as const, says: "it is not known whether it was made" },
    { why: "refused", code: "REDIS_REFUSED" as const, says: "Redis refused (MISCONF)." },
  ])("says what is known of a write that was not answered good: $why", async ({ code, says }) => {
    let writes = 0;
    const failing: KeyBook = {
      ...book(),
      commit: async () => {
        writes += 1;
        throw new RedisError(code, code === "REDIS_REFUSED" ? "MISCONF" : undefined);
      },
    };
    const edited = explainingBookFailures(() =>
      editKeyBook(failing, { randomBytes, mayBegin: true }, (store) =>
        createKey({ store, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, WISH),
      ),
    );
    await expect(edited).rejects.toEqual(
      expect.objectContaining({ code: "STORE_UNUSABLE", message: expect.stringContaining(says) }),
    );
    expect(writes, "nothing is sent twice").toBe(1);
  });

  it("writes only onto the state that was read: by revision and by history", async () => {
    await makeKey();
    const { point } = await book().readSince(NO_POINT);
    const rows = [
      { field: "account:x", json: JSON.stringify({ tier: "free", dailyLimit: null, createdAtMs: 0 }) },
    ];
    expect(await book().commit({ ...point, token: "ff" }, rows, TOKEN)).toBe(false);
    expect(await book().commit({ ...point, revision: point.revision - 1 }, rows, TOKEN)).toBe(false);
    expect(await book().commit(NO_POINT, rows, TOKEN)).toBe(false);
    expect(await book().commit(point, rows, TOKEN)).toBe(true);
    expect(await book().readSince(point)).toEqual({
      point: { revision: point.revision + 1, token: TOKEN },
      rows,
    });
    expect(await book().commit(point, rows, TOKEN), "a second time").toBe(false);
  });

  it("of 10,000 keys is read in eleven calls, and what changed since in one", async () => {
    const copy = createMemoryBook();
    createAccount(copy.store, "acme", { tier: "pro" }, NOW_MS);
    const template = createKey(
      { store: copy.store, pepper: PEPPER, nowMs: NOW_MS, randomBytes },
      WISH,
    ).record;
    copy.store.atomically(() => {
      for (let index = 1; index < 10_000; index += 1) {
        copy.store.addKey({ ...template, keyId: `key_${index}`, digest: randomBytes(32) });
      }
    });
    const rows = [...copy.rows()].map(([field, json]) => ({ field, json }));
    expect(await book().commit(NO_POINT, rows, TOKEN)).toBe(true);
    const before = calls().length;
    const loaded = await loadKeyBook(book());
    expect(calls().length - before).toBe(11);
    const read = loaded.copy.rows();
    // To have two maps of so many compared takes seconds.
    expect(read.size === rows.length && rows.every(({ field, json }) => read.get(field) === json)).toBe(true);
    expect((await book().readSince(loaded.point)).rows).toEqual([]);
    expect(calls().length - before).toBe(12);
  });
});

describe.skipIf(REDIS_SERVER === undefined)("a book that is brought whole", () => {
  const { server, book, edit } = bookStand();
  const ROWS = ["a", "b"].map((name) => ({
    field: `account:${name}`,
    json: JSON.stringify({ tier: "free", dailyLimit: null, createdAtMs: 0 }),
  }));

  it("stands for good, in the order in which it came", async () => {
    expect(await book().commit(NO_POINT, ROWS, TOKEN)).toBe(true);
    expect(await server().ask("TTL", "govdata:{keys}:rows"), "no expiry").toBe(-1);
    expect(await book().readSince(NO_POINT)).toEqual({ point: { revision: 2, token: TOKEN }, rows: ROWS });
    await edit((store) => setAccount(store, "a", { tier: "pro" }));
    expect((await book().readSince({ revision: 2, token: TOKEN })).rows).toHaveLength(1);
  });

  it("is refused where one was begun", async () => {
    await edit((store) => createAccount(store, "first", { tier: "free" }, NOW_MS));
    expect(await book().commit(NO_POINT, ROWS, TOKEN)).toBe(false);
    expect((await edit((store) => store.accounts())).map(({ name }) => name)).toEqual(["first"]);
  });
});
