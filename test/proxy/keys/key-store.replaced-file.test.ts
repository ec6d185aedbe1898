import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openKeyFile } from "../../../proxy/keys/key-store.ts";
import { type KeyTable, openKeyTable } from "../../../proxy/keys/key-table.ts";

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
  const store = openKeyTable(at, 100);
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

function openHere() {
  const clock = { nowMs: 1_000_000 };
  const open = () => openKeyTable(path, 100);
  return { clock, store: openKeyFile(path, open, () => clock.nowMs) };
}

/** Another process, which changes the store and ends. */
function elsewhere(change: (store: KeyTable) => void): void {
  const other = openKeyTable(path, 100);
  change(other);
  other.close();
}

describe("openKeyFile", () => {
  it("sees a revocation in the store that was put in place of the one it opened", () => {
    writeStore(path, null);
    const { store } = openHere();
    expect(store.find([DIGEST])).toMatchObject({ revokedAtMs: null });
    writeStore(join(home, "restored.db"), 5);
    renameSync(join(home, "restored.db"), path);
    expect(store.find([DIGEST])).toMatchObject({ revokedAtMs: 5 });
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
    const { store, clock } = openHere();
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
    const { store, clock } = openHere();
    const before = store.revision();
    elsewhere((other) => other.setKeyEnd("key_a", { expiresAtMs: 1, revokedAtMs: null, successorId: null }));
    clock.nowMs -= 3_600_000;
    expect(store.revision()).not.toBe(before);
    store.close();
  });

  it("lets nobody in while the file is missing, and recovers by itself", () => {
    writeStore(path, null);
    const { store, clock } = openHere();
    const before = store.revision();
    copyFileSync(path, join(home, "kept.db"));
    rmSync(path);
    clock.nowMs += 200;
    for (let turn = 0; turn < 2; turn += 1) expect(() => store.revision()).toThrow(/ENOENT/);
    expect(() => store.find([DIGEST])).toThrow(/ENOENT/);
    renameSync(join(home, "kept.db"), path);
    expect(store.revision()).not.toBe(before);
    expect(store.find([DIGEST])).toMatchObject({ keyId: "key_a" });
    store.close();
  });
});
