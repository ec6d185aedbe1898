import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { restoreBackup } from "../../../../proxy/fleet/backup/restore-backup.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { NOON_MS, setUp } from "./backed-up-home.ts";

const folder = temporaryFolder();

it("refuses keys that did not get out of the log into their file, and leaves nothing of them", async () => {
  const { backup, run } = await setUp(folder);
  await run(`backup ${backup}`);
  const home = mkdtempSync(join(folder, "home-"));
  let reader: SqliteDatabase | undefined;
  const order = {
    quota: "close-today",
    nowMs: NOON_MS,
    // Asked for while the copy is open: one who reads in it then keeps its log from being emptied, as a full disk does.
    get givenPepper() {
      reader = openSqlite(join(home, ".restoring", "keys.db"), { readonly: true });
      reader.prepare("SELECT count(*) FROM keys").get();
      return undefined;
    },
  } as const;
  try {
    await expect(restoreBackup(backup, home, order)).rejects.toEqual(
      expect.objectContaining({
        code: "STORE_UNUSABLE",
        message: "keys.db could not be written completely: part of it is still in its log.",
      }),
    );
  } finally {
    reader?.close();
  }
  expect(readdirSync(home)).toEqual([".restore-lock"]);
});

it("lets one restore at a time work in a home, and cleans up after one that was killed", async () => {
  const { backup, run } = await setUp(folder);
  await run(`backup ${backup}`);
  const home = mkdtempSync(join(folder, "home-"));
  mkdirSync(join(home, ".restoring"));
  writeFileSync(join(home, ".restoring", "keys.db"), "of a restore that was killed");
  const options = { quota: "close-today", nowMs: NOON_MS, givenPepper: undefined } as const;
  let second: Promise<unknown> | undefined;
  const first = restoreBackup(backup, home, {
    ...options,
    get givenPepper() {
      second ??= restoreBackup(backup, home, options).catch((error: unknown) => error);
      return undefined;
    },
  });
  expect(await first).toMatchObject({ keys: 1, closedThrough: "2026-04-01" });
  expect(await second).toMatchObject({ code: "RESTORE_AT_WORK" });
  expect(readdirSync(home).sort()).toEqual([".restore-lock", "keys.db", "quota.db"]);
});
