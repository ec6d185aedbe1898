import { randomBytes } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { entriesOf, fillTable } from "../../../proxy/fleet/keys/key-entries.ts";
import { type AccountTerms, createAccount, setAccount } from "../../../proxy/keys/accounts.ts";
import { createKey, revokeKey, rotateKey, stateOfKey, withdrawKey } from "../../../proxy/keys/issue-keys.ts";
import { type KeyTable, openKeyTable, openKeyTableInMemory } from "../../../proxy/keys/key-table.ts";
import { keyDigest } from "../../../proxy/keys/peppers.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { type Refusal, refusal } from "../support/refusal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const PEPPER = "p".repeat(40);
const NOW = Date.parse("2026-04-01T12:00:00Z");
const options = {
  account: "acme",
  terms: { tier: "pro" },
  environment: "live",
  expiresAtMs: null,
} as const;
let files = 0;
const coded = (code: string) => expect.objectContaining({ code });
const inFile = () => {
  files += 1;
  const path = join(folder, `keys-${files}.db`);
  const table = openKeyTable(path, 100);
  return { path, table, issuer: { table, pepper: PEPPER, nowMs: NOW, randomBytes } };
};

/** A copy of the keys in Redis. After each test its entries must make the same copy again. */
const copies: KeyTable[] = [];
const inMemory = () => {
  const table = openKeyTableInMemory();
  copies.push(table);
  return { table, issuer: { table, pepper: PEPPER, nowMs: NOW, randomBytes } };
};
afterEach(() => {
  for (const table of copies.splice(0)) {
    const again = openKeyTableInMemory();
    fillTable(again, entriesOf(table));
    expect([again.keys(), again.accounts(), again.peppers()]).toEqual([
      table.keys(),
      table.accounts(),
      table.peppers(),
    ]);
    again.close();
    table.close();
  }
});

describe.each([
  { where: "keys.db", fresh: inFile },
  { where: "a copy of the keys in Redis", fresh: inMemory },
])("$where", ({ fresh }) => {
  describe("accounts", () => {
    const [FREE, PRO] = [{ tier: "free" }, { tier: "pro" }] as const;
    const NAME: Refusal = ["BAD_OPTION", "has 1 to 64 letters", "another name"];
    const LIMIT: Refusal = ["LIMIT_NOT_FOR_TIER", "Only Enterprise accounts", "add --tier enterprise"];
    it.each<{ why: string; name?: string; terms: AccountTerms; says: Refusal }>([
      { why: "no tier", terms: {}, says: ["TIER_MISSING", "acme does not exist yet", "one of free, pro,"] },
      { why: "a limit for Free", terms: { ...FREE, dailyLimit: 5 }, says: LIMIT },
      { why: "a limit for Pro", terms: { ...PRO, dailyLimit: 5 }, says: LIMIT },
      { why: "an empty name", name: "", terms: FREE, says: NAME },
      { why: "a name that begins with a sign", name: "-acme", terms: FREE, says: NAME },
      { why: "a name with a line end", name: "a\nb", terms: FREE, says: NAME },
      { why: "a name of 65", name: "a".repeat(65), terms: FREE, says: NAME },
    ])("refuses: $why", ({ name = "acme", terms, says }) => {
      const { table } = fresh();
      expect(() => createAccount(table, name, terms, NOW)).toThrow(refusal(...says));
      expect(table.accounts()).toEqual([]);
    });

    it("changes tier and limit, and ends a limit with the Enterprise tier", () => {
      const { table } = fresh();
      createAccount(table, "acme", { tier: "enterprise", dailyLimit: 7 }, NOW);
      expect(() => createAccount(table, "acme", { tier: "pro" }, NOW)).toThrow(
        refusal("ACCOUNT_EXISTS", "acme already exists", "account set, or key create"),
      );
      expect(setAccount(table, "acme", { tier: "enterprise" })).toMatchObject({ dailyLimit: 7 });
      expect(setAccount(table, "acme", { dailyLimit: null })).toMatchObject({ dailyLimit: null });
      setAccount(table, "acme", { dailyLimit: 9 });
      expect(setAccount(table, "acme", { tier: "pro" })).toMatchObject({ tier: "pro", dailyLimit: null });
      expect(() => setAccount(table, "acme", { dailyLimit: 9 })).toThrow(coded("LIMIT_NOT_FOR_TIER"));
      expect(() => setAccount(table, "nobody", { tier: "pro" })).toThrow(
        refusal("ACCOUNT_UNKNOWN", "no account nobody", "account list"),
      );
      expect(table.account("acme")).toMatchObject({ tier: "pro", dailyLimit: null });
    });
  });

  describe("keys", () => {
    it("finds a key by its digest, and nothing by any other", () => {
      const { table, issuer } = fresh();
      const { record } = createKey(issuer, options);
      expect(table.findByDigest(record.digest)).toEqual({ ...record, tier: "pro", dailyLimit: null });
      for (const byte of [0, 255]) expect(table.findByDigest(Buffer.alloc(32, byte))).toBeUndefined();
    });

    it("makes the account where it is missing, and leaves no account behind a failure", () => {
      const { table, issuer } = fresh();
      expect(() => createKey(issuer, { ...options, terms: {} })).toThrow(coded("TIER_MISSING"));
      expect(table.accounts()).toEqual([]);
      createKey(issuer, options);
      createKey(issuer, { ...options, terms: {} });
      createKey(issuer, options);
      expect(table.keys()).toHaveLength(3);
      for (const terms of [{ tier: "free" }, { tier: "pro", dailyLimit: 51 }] as const)
        expect(() => createKey(issuer, { ...options, terms })).toThrow(
          refusal("TIER_BELONGS_TO_ACCOUNT", "those of acme are different", "account set acme"),
        );
    });

    it("revokes once and for good", () => {
      const { table, issuer } = fresh();
      const { record } = createKey(issuer, options);
      revokeKey(table, record.keyId, NOW + 5);
      revokeKey(table, record.keyId, NOW + 9);
      expect(table.key(record.keyId)?.revokedAtMs).toBe(NOW + 5);
      expect(() => revokeKey(table, "key_unknown", NOW)).toThrow(
        refusal("KEY_UNKNOWN", "no key with that id", "key list"),
      );
      expect(() => rotateKey(issuer, record.keyId, 0)).toThrow(
        refusal("KEY_NOT_ACTIVE", `${record.keyId} is revoked`, "key create --account acme"),
      );
    });

    it.each([
      { why: "no expiry: the grace counts", expiresAtMs: null, graceMs: 1000, oldEnds: NOW + 1000 },
      { why: "an expiry within the grace stays", expiresAtMs: NOW + 10, graceMs: 1000, oldEnds: NOW + 10 },
      { why: "no grace: at once", expiresAtMs: null, graceMs: 0, oldEnds: NOW },
    ])("rotates: $why", ({ expiresAtMs, graceMs, oldEnds }) => {
      const { table, issuer } = fresh();
      const old = createKey(issuer, { ...options, environment: "test", expiresAtMs });
      const next = rotateKey(issuer, old.record.keyId, graceMs);
      expect(table.key(old.record.keyId)?.expiresAtMs).toBe(oldEnds);
      expect(next.record).toMatchObject({ account: "acme", environment: "test", expiresAtMs });
      expect(next.key).not.toBe(old.key);
      expect(table.accounts()).toHaveLength(1);
      expect(() => rotateKey({ ...issuer, nowMs: NOW - 1 }, old.record.keyId, 5)).toThrow(
        refusal("KEY_ROTATED", "has already been rotated", `key rotate ${next.record.keyId}`),
      );
    });

    it("withdraws a successor that nobody was shown; the key before it is what it was, unless it was revoked since", () => {
      const { table, issuer } = fresh();
      const old = createKey(issuer, { ...options, expiresAtMs: NOW + 99 });
      const first = rotateKey(issuer, old.record.keyId, 5);
      withdrawKey(table, first, NOW + 1);
      expect(table.key(old.record.keyId)).toEqual(old.record);
      expect(table.key(first.record.keyId)?.revokedAtMs).toBe(NOW + 1);
      const second = rotateKey(issuer, old.record.keyId, 5);
      revokeKey(table, old.record.keyId, NOW + 2);
      withdrawKey(table, second, NOW + 3);
      expect(table.key(old.record.keyId)).toEqual({ ...old.record, revokedAtMs: NOW + 2 });
    });

    it("counts the active keys that none of these peppers opens", () => {
      const { table, issuer } = fresh();
      const next = "next".repeat(9);
      createKey(issuer, { ...options, expiresAtMs: NOW + 10 });
      revokeKey(table, createKey(issuer, options).record.keyId, NOW);
      createKey({ ...issuer, pepper: next }, options);
      expect(table.countStranded([next, PEPPER], NOW)).toBe(0);
      expect(table.countStranded([next], NOW + 9)).toBe(1);
      expect(table.countStranded([next], NOW + 10), "expired").toBe(0);
      expect(table.countStranded([PEPPER], NOW)).toBe(1);
      expect(table.countStranded(["unknown".repeat(5)], NOW)).toBe(2);
    });

    it("ends exactly at its expiry", () => {
      const { record } = createKey(fresh().issuer, { ...options, expiresAtMs: NOW + 10 });
      expect([9, 10].map((ms) => stateOfKey(record, NOW + ms))).toEqual(["active", "expired"]);
    });
  });

  describe("peppers", () => {
    it("knows the peppers of a rotation by number, and what each key needs", () => {
      const { table, issuer } = fresh();
      const next = "next".repeat(9);
      const old = createKey(issuer, options);
      const under = createKey({ ...issuer, pepper: next }, options);
      const rotated = rotateKey({ ...issuer, pepper: next }, old.record.keyId, 1000);
      expect([old, under, rotated].map(({ record }) => table.key(record.keyId)?.pepperId)).toEqual([1, 2, 2]);
      expect(table.findByDigest(keyDigest(next, rotated.key))?.keyId).toBe(rotated.record.keyId);
      expect(table.findByDigest(keyDigest(PEPPER, rotated.key))).toBeUndefined();
    });

    it("accepts any peppers before it has keys", () => {
      const { table } = fresh();
      for (const pepper of ["first".repeat(9), PEPPER]) expect(table.acceptsPeppers([pepper])).toBe(true);
      expect(table.peppers(), "the last one alone").toHaveLength(1);
    });

    const OTHER = "new".repeat(12);
    it.each([
      { why: "the one it has", peppers: [PEPPER] as const, want: true },
      { why: "a new one above it", peppers: [OTHER, PEPPER] as const, want: true },
      { why: "a new one without it", peppers: [OTHER] as const, want: false },
      { why: "one that is known, and no key is under", known: OTHER, peppers: [OTHER] as const, want: false },
      { why: "a mistyped one below", peppers: [PEPPER, "mistyped".repeat(6)] as const, want: false },
      { why: "both wrong", peppers: [OTHER, "mistyped".repeat(6)] as const, want: false },
    ])("accepts peppers: $why: $want", ({ known, peppers, want }) => {
      const { table, issuer } = fresh();
      createKey(issuer, options);
      if (known !== undefined) table.pepperIdOf(known);
      expect(table.acceptsPeppers(peppers)).toBe(want);
      expect(table.acceptsPeppers([PEPPER]), "asking changes nothing").toBe(true);
    });
  });
});

describe("the file", () => {
  const fresh = inFile;
  it("stores a digest, and never the key or the pepper", () => {
    const { table, issuer, path } = fresh();
    const { key, record } = createKey(issuer, options);
    table.close();
    const bytes = readFileSync(path).toString("latin1");
    for (const secret of [key, key.slice(9, 40), PEPPER]) expect(bytes).not.toContain(secret);
    expect(bytes).toContain(record.keyId);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("has another revision after each change, by this handle and by another, and the same after a question", () => {
    const { path, table } = fresh();
    const other = openKeyTable(path, 100);
    const account = { name: "acme", tier: "enterprise", createdAtMs: NOW } as const;
    const seen = [table.revision()];
    for (const [turn, by] of [table, other, table, other, other].entries()) {
      by.putAccount({ ...account, dailyLimit: 1 + turn });
      seen.push(table.revision());
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([table.account("acme")?.name, table.revision()]).toEqual(["acme", seen.at(-1)]);
    other.close();
    table.close();
  });

  it("flushes every commit, also when it is opened again", () => {
    const { path, table } = fresh();
    table.close();
    const pragma = vi.spyOn(Object.getPrototypeOf(openSqlite(":memory:")), "pragma");
    openKeyTable(path, 100).close();
    const asked = pragma.mock.calls.map(([source], index) => [source, pragma.mock.results[index]?.value]);
    pragma.mockRestore();
    expect(asked.at(-1), "set, and asked for after all else").toEqual(["synchronous", 2]);
    expect(openSqlite(path).pragma("journal_mode", { simple: true })).toBe("wal");
  });

  /** Makes the table of accounts check for these tiers, as a program with other tiers does. */
  const checkFor = (path: string, tiers: string): void => {
    const database = openSqlite(path);
    database.unsafeMode();
    database.pragma("writable_schema = ON");
    database
      .prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'accounts'")
      .run(ACCESS_TIERS.map((tier) => `'${tier}'`).join(", "), tiers);
    database.close();
  };

  it("adopts every tier of the program, and keeps accounts, keys and their link", () => {
    const { path, table, issuer } = fresh();
    createKey(issuer, options);
    const kept = [table.accounts(), table.keys()];
    table.close();
    checkFor(path, "'free', 'pro'");
    const again = openKeyTable(path, 100);
    expect([again.accounts(), again.keys()]).toEqual(kept);
    for (const tier of ACCESS_TIERS) createAccount(again, `of-${tier}`, { tier }, NOW);
    again.close();
    const database = openSqlite(path);
    database.pragma("foreign_keys = ON");
    expect(() => database.exec("DELETE FROM accounts WHERE name = 'acme'")).toThrow(/FOREIGN KEY/);
    expect(() => database.exec("UPDATE accounts SET tier = 'gold'")).toThrow(/CHECK/);
    expect(() => database.exec("UPDATE accounts SET daily_limit = 1 WHERE tier = 'pro'")).toThrow(/CHECK/);
    database.close();
  });

  it("refuses an account of a tier that it does not know", () => {
    const { path, table } = fresh();
    createAccount(table, "acme", { tier: "free" }, NOW);
    table.close();
    checkFor(path, "'gold', 'free'");
    openSqlite(path).exec("UPDATE accounts SET tier = 'gold'").close();
    for (const _ of ["once", "again"]) expect(() => openKeyTable(path, 100)).toThrow(coded("STORE_TOO_NEW"));
  });

  it("refuses a newer schema, and what is no database", () => {
    const { path, table } = fresh();
    table.close();
    const database = openSqlite(path);
    database.pragma("user_version = 99");
    database.close();
    const tooNew = refusal("STORE_TOO_NEW", "keys.db was written by a newer version", "another --home");
    expect(() => openKeyTable(path, 100)).toThrow(tooNew);
    openSqlite(path).exec("PRAGMA user_version = 1").close();
    expect(() => openKeyTable(path, 100), "of 0.5").toThrow(coded("STORE_UNUSABLE"));
    const foreign = join(folder, "foreign.db");
    openSqlite(foreign).exec("PRAGMA user_version = 2").close();
    expect(() => openKeyTable(foreign, 100), "another program's").toThrow(tooNew);
    writeFileSync(join(folder, "text.db"), "not a database, but long enough to be looked at".repeat(50));
    for (const [name, reason] of [
      ["text.db", ": it is not a database (SQLITE_NOTADB)."],
      ["nowhere/keys.db", "."],
    ] as const)
      expect(() => openKeyTable(join(folder, name), 100)).toThrow(
        refusal("STORE_UNUSABLE", `keys.db cannot be opened${reason}`, "a key store of this program"),
      );
  });
});
