import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  counterOf,
  grant,
  grantIn,
  homesIn,
  LIMIT,
  NOON_MS,
  setUp,
  TODAY,
  TOMORROW,
} from "./backed-up-home.ts";

const folder = temporaryFolder();

describe("backup", () => {
  it("holds what was committed, also while a server counts, readable by its owner alone, and no pepper", async () => {
    const { home, backup, run } = await setUp(folder);
    writeFileSync(join(home, "highest-sequence"), "7\n");
    const ledger = counterOf(home);
    grant(ledger, 4);
    expect(await run(`backup ${backup}`)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("accounts: 1, keys: 1"),
    });
    expect(grant(ledger, 1), "the server goes on").toBe(1);
    ledger.close();
    expect(readdirSync(backup).sort()).toEqual(["backup.json", "highest-sequence", "keys.db", "quota.db"]);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(backup))
      expect(statSync(join(backup, name)).mode & 0o777, name).toBe(0o600);
    const copy = openSqlite(join(backup, "quota.db"), { readonly: true });
    expect(copy.prepare("SELECT used FROM quota").pluck().all()).toEqual([4]);
    copy.close();
  });

  it("is never written over, and makes no folder above its own", async () => {
    const { directory, backup, run } = await setUp(folder);
    await run(`backup ${backup}`);
    const before = readFileSync(join(backup, "backup.json"));
    expect(await run(`backup ${backup}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("A backup overwrites nothing"),
    });
    expect(readFileSync(join(backup, "backup.json"))).toEqual(before);
    const unmounted = join(directory, "mnt");
    expect((await run(`backup ${join(unmounted, "backup")}`)).stderr).toContain("parent folder must exist");
    expect(existsSync(unmounted)).toBe(false);
  });

  it("is refused in the folder of published versions, also where a link leads there", async () => {
    const { directory, backup, run } = await setUp(folder);
    const published = join(directory, "public");
    mkdirSync(published);
    symlinkSync(published, join(directory, "link"));
    for (const target of [join(published, "backup"), join(directory, "link", "backup")])
      expect(await run(`--snapshots ${published} backup ${target}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("A backup must not be in the folder of --snapshots"),
      });
    expect(readdirSync(published)).toEqual([]);
    expect(await run(`--snapshots ${published} backup ${backup}`)).toMatchObject({ code: 0 });
  });

  it.each([
    {
      why: "damaged keys",
      name: "keys.db",
      content: "no database at all",
      says: ": it is not a database (SQLITE_NOTADB).",
    },
    { why: "emptied keys: they would restore to none", name: "keys.db", content: "", says: "." },
    { why: "an emptied counter", name: "quota.db", content: "", says: "." },
  ])("leaves nothing that looks like one where it fails: $why", async ({ name, content, says }) => {
    const { home, backup, run } = await setUp(folder);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(home, `${name}${end}`), { force: true });
    writeFileSync(join(home, name), content);
    expect(await run(`backup ${backup}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${name} could not be copied completely${says}\n`),
    });
    expect(existsSync(backup)).toBe(false);
  });

  it("says what the system refused, at which disks to look, and that older backups are still needed", async () => {
    const { home, backup, run } = await setUp(folder);
    mkdirSync(join(home, "highest-sequence"));
    const { code, stderr } = await run(`backup ${backup}`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The backup failed: .* \(EISDIR\)\./)]);
    expect(stderr).toContain("the disks of the home and of the backup");
    expect(stderr).toContain("Keep older backups until one succeeds.");
    expect(existsSync(backup)).toBe(false);
  });

  it.each([
    { why: "emptied by a power cut", make: (path: string) => writeFileSync(path, "") },
    { why: "of another base", make: (path: string) => writeFileSync(path, "0x10\n") },
    { why: "too long", make: (path: string) => writeFileSync(path, "7".repeat(100_000)) },
  ])("is not made with a sequence that no server reads: $why", async ({ make }) => {
    const { home, backup, run } = await setUp(folder);
    make(join(home, "highest-sequence"));
    const { code, stderr } = await run(`backup ${backup}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/damaged; delete the file to accept .* \(highest-sequence\)/),
    ]);
    expect(existsSync(backup)).toBe(false);
  });
});

describe("restore", () => {
  let template: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    template = await setUp(folder);
    grantIn(template.home, 4);
    await template.run(`backup ${template.backup}`);
    grantIn(template.home, 3);
    mkdirSync(template.other);
    copyFileSync(join(template.home, "pepper"), join(template.other, "pepper"));
  });

  /** A home that counted 4, was backed up, and counted 3 more; and another home with its pepper alone. */
  function backedUp() {
    const directory = mkdtempSync(join(folder, "t-"));
    cpSync(template.directory, directory, { recursive: true });
    return homesIn(directory);
  }

  it("gives keys and accounts back, and nobody a unit before the day is over", async () => {
    const { backup, other, run } = backedUp();
    mkdirSync(join(other, ".restoring"));
    const end = await run(`restore ${backup}`, { home: other });
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining("until 2026-04-02T00:00:00.000Z") });
    expect(end.stderr).toContain("revoke them again before you start");
    expect(JSON.parse((await run("--json key list", { home: other })).stdout)).toHaveLength(1);
    expect(readdirSync(other).sort(), "nothing of the work is left").toEqual([
      ".restore-lock",
      "keys.db",
      "pepper",
      "quota.db",
    ]);
    for (const name of ["keys.db", "quota.db"]) expect(statSync(join(other, name)).mode & 0o777).toBe(0o600);
    expect(grantIn(other, 1)).toBe(0);
    expect(grantIn(other, 1, { account: "made-after-the-backup" })).toBe(0);
    expect(grantIn(other, 1, { limit: 1_000_000_000 }), "a raised limit is no way in").toBe(0);
    const usage = await run("--json account usage acme", { home: other });
    expect(JSON.parse(usage.stdout)[0]).toMatchObject({ used: 4, remaining: 0 });
    expect(usage.stderr).toContain("since a restore");
    expect(grantIn(other, LIMIT + 1, { day: TOMORROW })).toBe(LIMIT);
  });

  it.each([
    { why: "today's count is not all in the backup", nowMs: NOON_MS, day: TODAY },
    { why: "the backup is of yesterday: it is in none", nowMs: NOON_MS + 86_400_000, day: TOMORROW },
  ])("closes the day that may lack units: $why", async ({ nowMs, day }) => {
    const { backup, other, run } = backedUp();
    const end = await run(`--json restore ${backup}`, { home: other, nowMs });
    expect(JSON.parse(end.stdout)).toMatchObject({ closed_through: day, has_pepper: true });
    expect(grantIn(other, 1, { day })).toBe(0);
  });

  it("closes the day also where the backup holds no counter", async () => {
    const { home, backup, other, run } = await setUp(folder);
    await run(`backup ${backup}`);
    grantIn(home, LIMIT);
    expect((await run(`restore ${backup}`, { home: other })).code).toBe(0);
    expect(grantIn(other, 1)).toBe(0);
  });

  it("counts on from the backup where the operator says so, also where that one had closed the day", async () => {
    const { directory, backup, other, run } = backedUp();
    await run(`restore ${backup}`, { home: other });
    await run(`backup ${join(directory, "second")}`, { home: other });
    const third = join(directory, "third");
    const end = await run(`restore ${join(directory, "second")} --grant-today`, { home: third });
    expect(end.stderr).toContain("can be used again today");
    expect(grantIn(third, LIMIT)).toBe(LIMIT - 4);
  });

  it("keeps a sound counter, and with it the day, where only the keys were lost", async () => {
    const { home, backup, run } = backedUp();
    const line = `restore ${backup} --keep-quota`;
    expect((await run(line)).stderr, "keys are there").toContain("overwrites nothing");
    renameSync(join(home, "keys.db"), join(home, "keys.db.broken"));
    expect((await run(line)).code).toBe(0);
    expect(grantIn(home, LIMIT)).toBe(LIMIT - 7);
  });

  it("under a running server gives no unit a second time", async () => {
    const { home, backup, run } = backedUp();
    const ledger = counterOf(home);
    grant(ledger, 1);
    renameSync(home, `${home}.broken`);
    expect((await run(`restore ${backup}`)).stderr).toContain("the pepper is missing");
    expect(() => grant(ledger, 1)).toThrow(expect.objectContaining({ code: "QUOTA_FILE_CHANGED" }));
    expect(grant(ledger, 1, { day: TOMORROW })).toBe(1);
    ledger.close();
  });

  const put = (path: string) => writeFileSync(path, "mine");
  it.each([
    { why: "keys", name: "keys.db", make: put },
    { why: "a counter", name: "quota.db", make: put },
    { why: "a log that would be played into the restored file", name: "keys.db-wal", make: put },
    { why: "the same of the counter", name: "quota.db-wal", make: put },
    {
      why: "a log of the other kind, which would be rolled back into it",
      name: "keys.db-journal",
      make: put,
    },
    { why: "a link to nowhere", name: "keys.db", make: (path: string) => symlinkSync("nowhere", path) },
  ])("overwrites nothing: $why", async ({ name, make }) => {
    const { backup, other, run } = backedUp();
    make(join(other, name));
    expect(await run(`restore ${backup}`, { home: other })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("overwrites nothing"),
    });
    expect(readdirSync(other).sort()).toEqual([".restore-lock", name, "pepper"].sort());
    if (make === put) expect(readFileSync(join(other, name), "utf8")).toBe("mine");
  });

  const spoil = (name: string, change: (text: string) => string) => (backup: string) =>
    writeFileSync(join(backup, name), change(readFileSync(join(backup, name), "latin1")), "latin1");
  /** The last byte may be of a random name, and an x already. */
  const anotherLastByte = (text: string): string => `${text.slice(0, -1)}${text.endsWith("x") ? "y" : "x"}`;
  const inPlaceOf = (name: string, make: (path: string) => unknown) => (backup: string) => {
    rmSync(join(backup, name));
    make(join(backup, name));
  };
  const pipe = (path: string) => execFileSync("mkfifo", [path]);
  const endless = (path: string) => symlinkSync("/dev/zero", path);
  const formatTwo = (text: string) => text.replace('"format": 1', '"format": 2');
  it.each<[why: string, spoils: (backup: string) => void, says: string]>([
    ["no note: it was cut off", inPlaceOf("backup.json", () => {}), "not a complete backup"],
    ["of a later program", spoil("backup.json", formatTwo), "format"],
    ["one byte of the keys", spoil("keys.db", anotherLastByte), "keys.db of the backup has changed"],
    ["one byte of the counter", spoil("quota.db", anotherLastByte), "quota.db of the backup has changed"],
    ["a note that would be waited for", inPlaceOf("backup.json", pipe), "no readable backup.json"],
    ["keys without end", inPlaceOf("keys.db", endless), "keys.db of the backup cannot be read"],
    ["a file is gone", inPlaceOf("quota.db", () => {}), "quota.db of the backup cannot be read"],
  ])("takes no backup that is not what was taken: %s", async (_why, spoils, says) => {
    const { backup, other, run } = backedUp();
    spoils(backup);
    expect(await run(`restore ${backup}`, { home: other })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
    expect(readdirSync(other).filter((name) => name !== ".restore-lock")).toEqual(["pepper"]);
  });

  it("refuses keys under another pepper than the one that is here, and says where none is", async () => {
    const { directory, backup, other, run } = backedUp();
    const end = await run(`restore ${backup}`, {
      home: other,
      pepper: "another pepper, of 32 characters or more",
    });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("with a different pepper") });
    expect(readdirSync(other)).toEqual([".restore-lock", "pepper"]);
    const bare = await run(`--json restore ${backup}`, { home: join(directory, "bare") });
    expect(JSON.parse(bare.stdout)).toMatchObject({ has_pepper: false });
  });

  it.each([
    { why: "both words for today", line: "--grant-today --keep-quota", code: 2, says: "cannot be combined" },
    { why: "nothing to keep", line: "--keep-quota", code: 1, says: "no quota.db in this home to keep" },
  ])("refuses what makes no sense: $why", async ({ line, code, says }) => {
    const { backup, other, run } = backedUp();
    expect(await run(`restore ${backup} ${line}`, { home: other })).toMatchObject({
      code,
      stderr: expect.stringContaining(says),
    });
  });

  it("never lets more units out on a day than the limit, however much was used after the backup", async () => {
    const stand = await setUp(folder);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(12), fc.nat(12), fc.nat(12), async (before, after, later) => {
        round += 1;
        const home = `${stand.home}-${round}`;
        mkdirSync(home);
        for (const name of ["keys.db", "pepper"]) copyFileSync(join(stand.home, name), join(home, name));
        let out = grantIn(home, before, { limit: 10 });
        await stand.run(`backup ${home}-backup`, { home });
        out += grantIn(home, after, { limit: 10 });
        await stand.run(`restore ${home}-backup`, { home: `${home}-restored` });
        out += grantIn(`${home}-restored`, later, { limit: 10 });
        expect(out).toBe(Math.min(10, before + after));
      }),
      { numRuns: 4 },
    );
  });
});
