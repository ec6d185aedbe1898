import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followKeyStore } from "../../../proxy/keys/followed-key-store.ts";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";

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

const follow = () => followKeyStore(path, openKeyStore(path, 100), () => openKeyStore(path, 100));

describe("followKeyStore", () => {
  it("sees a revocation in the store that was put in place of the one it opened", () => {
    writeStore(path, null);
    const store = follow();
    expect(store.findByDigest(DIGEST)?.revokedAtMs).toBeNull();
    writeStore(join(home, "restored.db"), 5);
    renameSync(join(home, "restored.db"), path);
    expect(store.findByDigest(DIGEST)?.revokedAtMs).toBe(5);
    store.close();
  });

  it("lets nobody in while the file is missing, and recovers by itself", () => {
    writeStore(path, null);
    const store = follow();
    store.findByDigest(DIGEST);
    copyFileSync(path, join(home, "kept.db"));
    rmSync(path);
    expect(() => store.findByDigest(DIGEST)).toThrow(/ENOENT/);
    renameSync(join(home, "kept.db"), path);
    expect(store.findByDigest(DIGEST)?.keyId).toBe("key_a");
    store.close();
  });
});
