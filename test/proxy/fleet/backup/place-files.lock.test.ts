import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DISK, holdingRestoreLock } from "../../../../proxy/fleet/backup/place-files.ts";
import { restoreBackup } from "../../../../proxy/fleet/backup/restore-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { NOON_MS, setUp } from "./backup-stand.ts";

const folder = temporaryFolder();
const ORDER = { quota: "close-today", nowMs: NOON_MS, givenPepper: undefined } as const;
const AT_WORK = expect.objectContaining({ code: "RESTORE_AT_WORK" });
const emptyHome = () => mkdtempSync(join(folder, "home-"));

it("lets no second restore take away what the first one works in", async () => {
  const { backup, run } = await setUp(folder);
  await run(`backup ${backup}`);
  const home = emptyHome();
  let attempts = 0;
  const link = (from: string, to: string) => {
    if (attempts === 0) expect(() => restoreBackup(backup, home, ORDER)).toThrow(AT_WORK);
    attempts += 1;
    DISK.link(from, to);
  };
  restoreBackup(backup, home, ORDER, { ...DISK, link });
  expect(attempts).toBe(2);
  expect(readdirSync(home).sort()).toEqual(["keys.db", "quota.db"]);
});

it("is free again after work that failed, and after a process that was killed", () => {
  const home = emptyHome();
  // What a killed one leaves is the file alone; its lock has ended with it.
  writeFileSync(join(home, ".restore-lock"), "");
  const fails = () => {
    throw new Error("no place");
  };
  expect(() => holdingRestoreLock(home, fails)).toThrow("no place");
  expect(holdingRestoreLock(home, () => "done")).toBe("done");
  expect(readdirSync(home)).toEqual([]);
});

it("is not taken away by whoever it keeps out", () => {
  const home = emptyHome();
  holdingRestoreLock(home, () => {
    expect(() => holdingRestoreLock(home, () => "in")).toThrow(AT_WORK);
    expect(readdirSync(home), "whoever is refused takes nothing away").toEqual([".restore-lock"]);
  });
});

it("says what the system refused", () => {
  const home = emptyHome();
  mkdirSync(join(home, ".restore-lock"));
  expect(() => holdingRestoreLock(home, () => "in")).toThrow(expect.objectContaining({ code: "EISDIR" }));
  rmSync(join(home, ".restore-lock"), { recursive: true });
});
