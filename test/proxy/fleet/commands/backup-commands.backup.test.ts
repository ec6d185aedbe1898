import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { counterOf, grant, setUp } from "../backup/backed-up-home.ts";

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
    { why: "a pipe", make: (path: string) => void execFileSync("mkfifo", [path]) },
    { why: "endless", make: (path: string) => symlinkSync("/dev/zero", path) },
  ])("is not said to be made with a sequence that no server reads: $why", async ({ make }) => {
    const { home, backup, run } = await setUp(folder);
    make(join(home, "highest-sequence"));
    const { code, stderr } = await run(`backup ${backup}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("in the home is not a number.")]);
    expect(stderr).toContain("then back up again");
    expect(existsSync(backup)).toBe(false);
  });

  it("copies a store of an older program as it is, and a restore brings it up to date", async () => {
    const { home, backup, other, run } = await setUp(folder);
    const old = openSqlite(join(home, "keys.db"));
    old.exec(`CREATE TABLE pepper_check (only_row INTEGER PRIMARY KEY, digest BLOB NOT NULL) STRICT;
      INSERT INTO pepper_check SELECT pepper_id, digest FROM peppers; DROP TABLE peppers;
      ALTER TABLE keys DROP COLUMN pepper_id; PRAGMA user_version = 1`);
    old.close();
    await run(`backup ${backup}`);
    const versionOf = (path: string) => {
      const database = openSqlite(path, { readonly: true });
      const version = database.pragma("user_version", { simple: true });
      database.close();
      return version;
    };
    expect([versionOf(join(backup, "keys.db")), versionOf(join(home, "keys.db"))]).toEqual([1, 1]);
    expect((await run(`restore ${backup}`, { home: other })).code).toBe(0);
    expect(versionOf(join(other, "keys.db"))).toBe(2);
  });
});
