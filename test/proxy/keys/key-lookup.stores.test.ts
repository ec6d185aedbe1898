import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAccount, setAccount } from "../../../proxy/keys/accounts.ts";
import { createKey, revokeKey, rotateKey } from "../../../proxy/keys/issue-keys.ts";
import { makeKey } from "../../../proxy/keys/key-format.ts";
import { openKeyFile } from "../../../proxy/keys/key-lookup.ts";
import { type KeyTable, openKeyTable } from "../../../proxy/keys/key-table.ts";
import { keyDigest } from "../../../proxy/keys/peppers.ts";
import { isOperatorFailure } from "../../../proxy/operator-error.ts";
import { REDIS_SERVER } from "../../support/redis-server.ts";
import { keysInRedis, NOW_MS, PEPPER } from "../fleet/keys/keys-in-redis.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PEPPERS = [PEPPER, "other".repeat(9)];

const folder = temporaryFolder();

/** The same bytes for every store: a number that is counted up, for keys that differ. */
function countedBytes() {
  let made = 0;
  return (length: number) => {
    made += 1;
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index += 1) bytes[index] = (made >> (index * 5)) & 31;
    return bytes;
  };
}

const ACTIONS = ["create", "revoke", "rotate", "tier", "limit", "account", "fail"] as const;

interface Step {
  readonly action: (typeof ACTIONS)[number];
  readonly which: number;
}

/** Runs one command, and returns the key that it made, if any. */
function runStep(
  table: KeyTable,
  { action, which }: Step,
  bytes: ReturnType<typeof countedBytes>,
): string | undefined {
  const keys = table.keys();
  const keyId = keys[which % keys.length]?.keyId ?? "";
  const accounts = table.accounts();
  const account = accounts[which % accounts.length]?.name ?? "";
  const issuer = { table, pepper: PEPPERS[which % 2] ?? PEPPER, nowMs: NOW_MS, randomBytes: bytes };
  const options = {
    account,
    terms: {},
    environment: "live" as const,
    expiresAtMs: which === 4 ? NOW_MS + 1 : null,
  };
  if (action === "create") return createKey(issuer, options).key;
  if (action === "revoke") revokeKey(table, keyId, NOW_MS + which);
  else if (action === "rotate") return rotateKey(issuer, keyId, which).key;
  else if (action === "tier") setAccount(table, account, { tier: which < 3 ? "free" : "enterprise" });
  else if (action === "limit") setAccount(table, account, { tier: "enterprise", dailyLimit: which + 1 });
  else if (action === "account") createAccount(table, `a${which}`, { tier: "free" }, NOW_MS);
  else {
    createAccount(table, `half-${which}`, { tier: "free" }, NOW_MS);
    throw new RangeError("given up");
  }
  return undefined;
}

describe.skipIf(REDIS_SERVER === undefined)("every key store (needs redis-server)", () => {
  const { server, keysWith } = keysInRedis();

  it("finds and lists the same after any commands, and is another revision after each change", async () => {
    const step = fc.record({
      action: fc.constantFrom(...ACTIONS),
      which: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await server().ask("FLUSHALL");
        const path = join(mkdtempSync(join(folder, "home-")), "keys.db");
        const clock = { nowMs: NOW_MS };
        const file = openKeyFile(
          path,
          () => openKeyTable(path, 100),
          () => clock.nowMs,
        );
        const redis = keysWith();
        // Another host, which makes none of the changes.
        const other = keysWith();
        const stores = [
          { store: file, reader: file, bytes: countedBytes() },
          { store: redis, reader: other, bytes: countedBytes() },
        ];
        const keys = [makeKey("live", randomBytes)];
        for (const command of [{ action: "account", which: 0 } as const, ...steps]) {
          const results = [];
          for (const { store, reader, bytes } of stores) {
            const before = await store.edit((table) => [table.accounts(), table.keys(), table.peppers()]);
            const revision = keys.length === 1 ? undefined : reader.revision();
            const result = await store
              .edit((table) => runStep(table, command, bytes))
              .catch((error: unknown) => {
                if (isOperatorFailure(error) || error instanceof RangeError) return error.message;
                throw error;
              });
            const after = await store.edit((table) => [table.accounts(), table.keys(), table.peppers()]);
            clock.nowMs += 200;
            await other.poll();
            if (JSON.stringify(before) !== JSON.stringify(after))
              expect(reader.revision()).not.toBe(revision);
            results.push({ result, after });
          }
          expect(results[1]).toEqual(results[0]);
          const made = results[0]?.result;
          if (made?.startsWith("gvk_")) keys.push(made);
          for (const key of keys) {
            const digests = PEPPERS.map((pepper) => keyDigest(pepper, key));
            const found = await file.find(digests);
            expect(await other.find(digests)).toEqual(found);
            expect(found === undefined).toBe(key === keys[0]);
          }
        }
        file.close();
      }),
      { numRuns: 15 },
    );
  });
});

const DIGEST = Buffer.alloc(32, 7);

/** A store with one key, closed again so that all of it lies in the one file. */
function writeStore(path: string, revokedAtMs: number | null): void {
  const store = openKeyTable(path, 100);
  store.putAccount({ name: "me", tier: "pro", dailyLimit: null, createdAtMs: 1 });
  const ends = { expiresAtMs: null, revokedAtMs, successorId: null, pepperId: 1 };
  const key = { keyId: "key_a", account: "me", environment: "live", digest: DIGEST, createdAtMs: 1 } as const;
  store.addKey({ ...key, ...ends });
  store.close();
}

function openStore() {
  const path = join(mkdtempSync(join(folder, "home-")), "keys.db");
  writeStore(path, null);
  const clock = { nowMs: 1_000_000 };
  const store = openKeyFile(
    path,
    () => openKeyTable(path, 100),
    () => clock.nowMs,
  );
  onTestFinished(store.close);
  /** Another process, which changes the store and ends. */
  const elsewhere = (change: (store: KeyTable) => void): void => {
    const other = openKeyTable(path, 100);
    change(other);
    other.close();
  };
  return { path, clock, store, elsewhere };
}

describe("openKeyFile", () => {
  it.each([
    {
      why: "a revocation",
      change: ({ elsewhere }: ReturnType<typeof openStore>) =>
        elsewhere((other) => revokeKey(other, "key_a", 5)),
      found: { revokedAtMs: 5 },
    },
    {
      why: "another tier",
      change: ({ elsewhere }: ReturnType<typeof openStore>) =>
        elsewhere((other) => setAccount(other, "me", { tier: "free" })),
      found: { tier: "free" },
    },
    {
      why: "another store in its place",
      change: ({ path }: ReturnType<typeof openStore>) => {
        writeStore(`${path}.restored`, 5);
        renameSync(`${path}.restored`, path);
      },
      found: { revokedAtMs: 5 },
    },
  ])("tells within a fifth of a second that the store is another one: $why", ({ change, found }) => {
    const opened = openStore();
    const { store, clock } = opened;
    const before = store.revision();
    clock.nowMs += 200;
    expect(store.revision(), "nothing happened").toBe(before);
    expect(store.find([DIGEST])).toMatchObject({ tier: "pro", revokedAtMs: null });
    change(opened);
    clock.nowMs += 199;
    expect(store.revision(), "it was just looked at").toBe(before);
    expect(store.find([DIGEST])).toMatchObject(found);
    clock.nowMs += 1;
    const after = store.revision();
    expect(after).not.toBe(before);
    clock.nowMs += 200;
    expect(store.revision()).toBe(after);
  });

  it("looks at once when the clock was set back", () => {
    const { store, clock, elsewhere } = openStore();
    const before = store.revision();
    elsewhere((other) => revokeKey(other, "key_a", 5));
    clock.nowMs -= 3_600_000;
    expect(store.revision()).not.toBe(before);
  });

  it("lets nobody in while the file is missing, and recovers by itself", () => {
    const { path, store, clock } = openStore();
    const before = store.revision();
    copyFileSync(path, `${path}.kept`);
    rmSync(path);
    clock.nowMs += 200;
    for (let turn = 0; turn < 2; turn += 1) expect(() => store.revision()).toThrow(/ENOENT/);
    expect(() => store.find([DIGEST])).toThrow(/ENOENT/);
    renameSync(`${path}.kept`, path);
    expect(store.revision()).not.toBe(before);
    expect(store.find([DIGEST])).toMatchObject({ keyId: "key_a" });
  });
});
