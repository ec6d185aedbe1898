import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { restoreBackup } from "../../../../proxy/fleet/backup/restore-files.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { NOON_MS, setUp } from "./backup-stand.ts";

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
      const stage = readdirSync(home).find((name) => name.startsWith(".restoring-")) ?? "";
      reader = openSqlite(join(home, stage, "keys.db"), { readonly: true });
      reader.prepare("SELECT count(*) FROM keys").get();
      return undefined;
    },
  } as const;
  try {
    expect(() => restoreBackup(backup, home, order)).toThrow(
      expect.objectContaining({
        code: "STORE_UNUSABLE",
        message: "keys.db could not be written completely: part of it is still in its log.",
      }),
    );
  } finally {
    reader?.close();
  }
  expect(readdirSync(home)).toEqual([]);
});
