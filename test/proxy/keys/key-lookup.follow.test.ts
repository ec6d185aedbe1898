import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followKeyStore } from "../../../proxy/keys/key-lookup.ts";
import { type KeyStore, openKeyStore } from "../../../proxy/keys/key-store.ts";

const DIGEST = Buffer.alloc(32, 7);

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "govdata-keys-"));
  path = join(home, "keys.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A store with one key, closed again so that all of it lies in the one file. */
function writeStore(at: string, revokedAtMs: number | null): void {
  const store = openKeyStore(at, 100);
  store.putAccount({ name: "me", tier: "pro", dailyLimit: null, createdAtMs: 1 });
  const ends = { expiresAtMs: null, revokedAtMs, successorId: null, pepperId: 1 };
  store.addKey({
    keyId: "key_a",
    account: "me",
    environment: "live",
    digest: DIGEST,
    createdAtMs: 1,
    ...ends,
  });
  store.close();
}

function follow() {
  const clock = { nowMs: 1_000_000 };
  const first = openKeyStore(path, 100);
  const open = () => openKeyStore(path, 100);
  return { clock, store: followKeyStore({ path, first, open, nowMs: () => clock.nowMs }) };
}

/** Another process, which changes the store and ends. */
function elsewhere(change: (store: KeyStore) => void): void {
  const other = openKeyStore(path, 100);
  change(other);
  other.close();
}

describe("followKeyStore", () => {
  it("sees a revocation in the store that was put in place of the one it opened", () => {
    writeStore(path, null);
    const { store } = follow();
    expect(store.findByDigest(DIGEST)?.revokedAtMs).toBeNull();
    writeStore(join(home, "restored.db"), 5);
    renameSync(join(home, "restored.db"), path);
    expect(store.findByDigest(DIGEST)?.revokedAtMs).toBe(5);
    store.close();
  });

  it.each([
    {
      why: "a revocation",
      change: () =>
        elsewhere((other) =>
          other.setKeyEnd("key_a", { expiresAtMs: null, revokedAtMs: 5, successorId: null }),
        ),
    },
    {
      why: "another tier",
      change: () =>
        elsewhere((other) =>
          other.putAccount({ name: "me", tier: "free", dailyLimit: null, createdAtMs: 1 }),
        ),
    },
    {
      why: "another store in its place",
      change: () => {
        writeStore(join(home, "restored.db"), 5);
        renameSync(join(home, "restored.db"), path);
      },
    },
  ])("tells within a fifth of a second that the store is another one: $why", ({ change }) => {
    writeStore(path, null);
    const { store, clock } = follow();
    const before = store.revision();
    clock.nowMs += 200;
    expect(store.revision(), "nothing happened").toBe(before);
    change();
    clock.nowMs += 199;
    expect(store.revision(), "it was just looked at").toBe(before);
    clock.nowMs += 1;
    const after = store.revision();
    expect(after).not.toBe(before);
    clock.nowMs += 200;
    expect(store.revision()).toBe(after);
    store.close();
  });

  it("looks at once when the clock was set back", () => {
    writeStore(path, null);
    const { store, clock } = follow();
    const before = store.revision();
    elsewhere((other) => other.setKeyEnd("key_a", { expiresAtMs: 1, revokedAtMs: null, successorId: null }));
    clock.nowMs -= 3_600_000;
    expect(store.revision()).not.toBe(before);
    store.close();
  });

  it("lets nobody in while the file is missing, and recovers by itself", () => {
    writeStore(path, null);
    const { store, clock } = follow();
    const before = store.revision();
    copyFileSync(path, join(home, "kept.db"));
    rmSync(path);
    clock.nowMs += 200;
    for (let turn = 0; turn < 2; turn += 1) expect(() => store.revision()).toThrow(/ENOENT/);
    expect(() => store.findByDigest(DIGEST)).toThrow(/ENOENT/);
    renameSync(join(home, "kept.db"), path);
    expect(store.revision()).not.toBe(before);
    expect(store.findByDigest(DIGEST)?.keyId).toBe("key_a");
    store.close();
  });
});
