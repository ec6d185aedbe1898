import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type BackupNote, readHashed } from "../../../../proxy/fleet/backup/backup-folder.ts";
import { restoreBackup } from "../../../../proxy/fleet/backup/restore-backup.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { NOON_MS, setUp } from "./backed-up-home.ts";

const folder = temporaryFolder();
const ORDER = { quota: "close-today", nowMs: NOON_MS, givenPepper: undefined } as const;

/** A backup of a home that served version 7. */
let homes: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  homes = await setUp(folder);
  writeFileSync(join(homes.home, "highest-sequence"), "7\n");
  await homes.run(`backup ${homes.backup}`);
});

/** An empty home, which may have served a version. */
function homeThatServed(sequence: string | undefined): string {
  const home = mkdtempSync(join(folder, "served-"));
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

  /** Options that run `work` when the pepper is asked for: after the home was found empty, before anything is placed. */
  const meanwhile = (work: () => void) => ({
    ...ORDER,
    get givenPepper() {
      work();
      return undefined;
    },
  });

  it.each([
    { why: "an earlier one", before: "3" },
    { why: "a later one", before: "9" },
    { why: "none", before: undefined },
  ])("is as it was, and nothing else is left, if keys appear meanwhile: $why", async ({ before }) => {
    const home = homeThatServed(before);
    const options = meanwhile(() => writeFileSync(join(home, "keys.db"), "of a server that started"));
    await expect(restoreBackup(homes.backup, home, options)).rejects.toMatchObject({
      code: "HOME_NOT_EMPTY",
    });
    const left = readdirSync(home).map((name) => [name, readFileSync(join(home, name), "utf8")]);
    const sequence = before === undefined ? {} : { "highest-sequence": `${before}\n` };
    expect(Object.fromEntries(left)).toEqual({
      ".restore-lock": "",
      "keys.db": "of a server that started",
      ...sequence,
    });
  });

  it("leaves a counter that a server has opened meanwhile", async () => {
    const home = homeThatServed(undefined);
    const options = meanwhile(() => {
      for (const name of ["keys.db", "quota.db-wal"]) writeFileSync(join(home, name), "");
    });
    await expect(restoreBackup(homes.backup, home, options)).rejects.toMatchObject({
      code: "HOME_NOT_EMPTY",
    });
    expect(readdirSync(home)).toContain("quota.db");
  });

  it.each([
    { why: "more than a server reads", text: "1000000000000000\n" },
    { why: "of another base", text: "0x10\n" },
    { why: "with an exponent", text: "1e3\n" },
    { why: "none", text: "0\n" },
    { why: "empty", text: "" },
  ])("that no server reads is not taken over: $why", async ({ text }) => {
    const backup = mkdtempSync(join(folder, "spoilt-"));
    cpSync(homes.backup, backup, { recursive: true });
    writeFileSync(join(backup, "highest-sequence"), text);
    const note: BackupNote = JSON.parse(readFileSync(join(backup, "backup.json"), "utf8"));
    note.files["highest-sequence"] = readHashed(join(backup, "highest-sequence")).sha256;
    writeFileSync(join(backup, "backup.json"), JSON.stringify(note));
    const home = homeThatServed(undefined);
    await expect(restoreBackup(backup, home, ORDER)).rejects.toEqual(
      expect.objectContaining({
        code: "BACKUP_INVALID",
        message: expect.stringContaining("is not a number"),
      }),
    );
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
