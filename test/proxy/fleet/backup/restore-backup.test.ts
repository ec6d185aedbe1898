import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type BackupNote, sha256Of } from "../../../../proxy/fleet/backup/backup-folder.ts";
import { type RestoreOptions, restoreBackup } from "../../../../proxy/fleet/backup/restore-backup.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { counterOf, grant, grantIn, LIMIT, NOON_MS, setUp } from "./backed-up-home.ts";

const folder = temporaryFolder();
const ORDER: RestoreOptions = { quota: "close-today", nowMs: NOON_MS, givenPepper: undefined };
const emptyHome = () => mkdtempSync(join(folder, "home-"));

it("refuses keys that did not get out of the log into their file, and leaves nothing of them", async () => {
  const { backup, run } = await setUp(folder);
  await run(`backup ${backup}`);
  const home = emptyHome();
  let reader: SqliteDatabase | undefined;
  const order = {
    ...ORDER,
    // Asked for while the copy is open: one who reads in it then keeps its log from being emptied, as a full disk does.
    get givenPepper() {
      reader = openSqlite(join(home, ".restoring", "keys.db"), { readonly: true });
      reader.prepare("SELECT count(*) FROM keys").get();
      return undefined;
    },
  };
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
  const home = emptyHome();
  mkdirSync(join(home, ".restoring"));
  writeFileSync(join(home, ".restoring", "keys.db"), "of a restore that was killed");
  let second: Promise<unknown> | undefined;
  const first = restoreBackup(backup, home, {
    ...ORDER,
    get givenPepper() {
      second ??= restoreBackup(backup, home, ORDER).catch((error: unknown) => error);
      return undefined;
    },
  });
  expect(await first).toMatchObject({ keys: 1, closedThrough: "2026-04-01" });
  expect(await second).toMatchObject({ code: "RESTORE_AT_WORK" });
  expect(readdirSync(home).sort()).toEqual([".restore-lock", "keys.db", "quota.db"]);
});

describe("quota", () => {
  let homes: Awaited<ReturnType<typeof setUp>>;

  beforeAll(async () => {
    homes = await setUp(folder);
    // Enough for more than one page: a damaged one is not the first.
    const ledger = counterOf(homes.home);
    for (let account = 0; account < 400; account += 1) grant(ledger, 1, { account: `account-${account}` });
    ledger.close();
    await homes.run(`backup ${homes.backup}`);
  });

  const orderAt = (nowMs: number, quota: RestoreOptions["quota"] = "close-today") => ({
    ...ORDER,
    quota,
    nowMs,
  });

  describe("the clock of a restore", () => {
    it.each([
      { why: "a moment behind the backup", nowMs: NOON_MS - 1 },
      { why: "a day behind: that day was over, and today would be granted again", nowMs: NOON_MS - DAY_MS },
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
      { why: "emptied", content: () => "", says: "cannot be opened" },
      { why: "no database", content: () => "x".repeat(5000), says: "SQLITE_NOTADB" },
      { why: "of another kind", content: () => inBackup("keys.db"), says: "cannot be opened" },
      {
        why: "cut off",
        content: () => inBackup("quota.db").subarray(0, 8192),
        says: /damaged|SQLITE_CORRUPT/,
      },
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
  });
});

describe("sequence", () => {
  /** A backup of a home that served version 7. */
  let homes: Awaited<ReturnType<typeof setUp>>;

  beforeAll(async () => {
    homes = await setUp(folder);
    writeFileSync(join(homes.home, "highest-sequence"), "7\n");
    await homes.run(`backup ${homes.backup}`);
  });

  /** An empty home, which may have served a version. */
  function homeThatServed(sequence: string | undefined): string {
    const home = emptyHome();
    if (sequence !== undefined) writeFileSync(join(home, "highest-sequence"), `${sequence}\n`);
    return home;
  }

  const sequenceIn = (home: string) => readFileSync(join(home, "highest-sequence"), "utf8");

  describe("the highest sequence of a backup", () => {
    it.each([
      { why: "none was served here", before: undefined, after: "7\n" },
      { why: "an earlier one", before: "6", after: "7\n" },
      { why: "the same", before: "7", after: "7\n" },
      { why: "a later one", before: "9", after: "9\n" },
    ])("only ever raises that of the home: $why", async ({ before, after }) => {
      const home = homeThatServed(before);
      await restoreBackup(homes.backup, home, ORDER);
      expect(sequenceIn(home)).toBe(after);
    });

    it("comes before the keys, which overwrite none that appear meanwhile", async () => {
      const home = homeThatServed(undefined);
      const options = {
        ...ORDER,
        // Asked for after the home was found empty, before anything is placed.
        get givenPepper() {
          writeFileSync(join(home, "keys.db"), "of a server that started");
          return undefined;
        },
      };
      await expect(restoreBackup(homes.backup, home, options)).rejects.toMatchObject({
        code: "HOME_NOT_EMPTY",
      });
      expect(readFileSync(join(home, "keys.db"), "utf8")).toBe("of a server that started");
      expect(sequenceIn(home)).toBe("7\n");
    });

    it("is not taken over where no server reads it", async () => {
      const backup = mkdtempSync(join(folder, "spoilt-"));
      cpSync(homes.backup, backup, { recursive: true });
      writeFileSync(join(backup, "highest-sequence"), "1e3\n");
      const note: BackupNote = JSON.parse(readFileSync(join(backup, "backup.json"), "utf8"));
      note.files["highest-sequence"] = sha256Of(readFileSync(join(backup, "highest-sequence")));
      writeFileSync(join(backup, "backup.json"), JSON.stringify(note));
      const home = homeThatServed(undefined);
      await expect(restoreBackup(backup, home, ORDER)).rejects.toMatchObject({
        code: "SNAPSHOT_INVALID",
        message: expect.stringContaining("is damaged"),
      });
      expect(readdirSync(home)).toEqual([".restore-lock"]);
    });

    it("that cannot be put in place is told in plain words, and nothing is restored", async () => {
      const home = homeThatServed(undefined);
      mkdirSync(join(home, "highest-sequence"));
      const end = await homes.run(`restore ${homes.backup}`, { home });
      expect(end).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("cannot be used: it is a folder (EISDIR)"),
      });
      expect(end.stderr).not.toContain("defect");
      expect(readdirSync(home)).toEqual([".restore-lock", "highest-sequence"]);
    });
  });
});
