import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "../../../../proxy/fleet/backup/restore-backup.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { counterOf, grant, grantIn, LIMIT, NOON_MS, setUp } from "./backed-up-home.ts";

const folder = temporaryFolder();
let homes: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  homes = await setUp(folder);
  // Enough for more than one page: a damaged one is not the first.
  const ledger = counterOf(homes.home);
  for (let account = 0; account < 400; account += 1) grant(ledger, 1, { account: `account-${account}` });
  ledger.close();
  await homes.run(`backup ${homes.backup}`);
});

const emptyHome = () => mkdtempSync(join(folder, "home-"));
const orderAt = (nowMs: number, quota: "close-today" | "grant-today" | "keep" = "close-today") => ({
  quota,
  nowMs,
  givenPepper: undefined,
});

describe("the clock of a restore", () => {
  it.each([
    { why: "a moment behind the backup", nowMs: NOON_MS - 1 },
    { why: "a day behind: that day was over, and today would be granted again", nowMs: NOON_MS - DAY_MS },
    { why: "of a machine that lost its battery", nowMs: 0 },
  ])("is refused where it does not tell the day to close: $why", async ({ nowMs }) => {
    const home = emptyHome();
    await expect(restoreBackup(homes.backup, home, orderAt(nowMs))).rejects.toThrow(
      expect.objectContaining({
        code: "CLOCK_BEHIND",
        message: expect.stringContaining("taken later, at 2026-04-01T12:00:00.000Z"),
        hint: expect.stringContaining("--grant-today"),
      }),
    );
    expect(readdirSync(home)).toEqual([]);
  });

  it("may be that of the backup itself", async () => {
    expect(await restoreBackup(homes.backup, emptyHome(), orderAt(NOON_MS))).toMatchObject({
      closedThrough: "2026-04-01",
    });
  });

  it("is not asked where no day is closed: a backup by a clock that was ahead is not lost", async () => {
    const granted = emptyHome();
    await restoreBackup(homes.backup, granted, orderAt(NOON_MS - DAY_MS, "grant-today"));
    expect(grantIn(granted, 1)).toBe(1);
    const kept = emptyHome();
    copyFileSync(join(homes.backup, "quota.db"), join(kept, "quota.db"));
    await restoreBackup(homes.backup, kept, orderAt(NOON_MS - DAY_MS, "keep"));
    expect(grantIn(kept, LIMIT + 1, { account: "account-7" })).toBe(LIMIT - 1);
  });
});

describe("a counter that is to be kept", () => {
  const inBackup = (name: string) => readFileSync(join(homes.backup, name));
  const overwritten = (bytes: Buffer) => bytes.fill(0xff, bytes.length - 4096);
  it.each([
    { why: "emptied", content: () => "", says: "is empty" },
    { why: "no database", content: () => "x".repeat(5000), says: "SQLITE_NOTADB" },
    { why: "of another kind", content: () => inBackup("keys.db"), says: "cannot be opened" },
    { why: "cut off", content: () => inBackup("quota.db").subarray(0, 8192), says: /damaged|SQLITE_CORRUPT/ },
    {
      why: "a page overwritten",
      content: () => overwritten(inBackup("quota.db")),
      says: "The quota.db of this home is damaged.",
    },
  ])("is refused where it is none: $why", async ({ content, says }) => {
    const home = emptyHome();
    writeFileSync(join(home, "quota.db"), content());
    await expect(restoreBackup(homes.backup, home, orderAt(NOON_MS, "keep"))).rejects.toThrow(
      expect.objectContaining({
        code: "STORE_UNUSABLE",
        message: typeof says === "string" ? expect.stringContaining(says) : expect.stringMatching(says),
      }),
    );
    expect(readdirSync(home)).toEqual([".restore-lock", "quota.db"]);
  });

  it("is refused where it is a pipe, without waiting for whoever writes into it", async () => {
    const home = emptyHome();
    execFileSync("mkfifo", [join(home, "quota.db")]);
    await expect(restoreBackup(homes.backup, home, orderAt(NOON_MS, "keep"))).rejects.toThrow(
      "is not a file",
    );
  });

  it("has more than one page in this test", () => {
    expect(statSync(join(homes.backup, "quota.db")).size).toBeGreaterThan(3 * 4096);
    const database = openSqlite(join(homes.backup, "quota.db"), { readonly: true });
    expect(database.pragma("page_size", { simple: true })).toBe(4096);
    database.close();
  });
});
