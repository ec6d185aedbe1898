import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ManifestFile } from "../../../../snapshots/format/manifest.ts";
import { INDEX_TABLES } from "../../../../snapshots/store/read/index-schema.ts";
import { holdsDated, summarizeFiles } from "../../../../snapshots/store/read/summarize-manifest.ts";

const hash = (digit: string) => digit.repeat(64);
const fileOf = (path: string, sha256 = hash("1"), bytes = 10): ManifestFile => ({
  path,
  bytes,
  sha256,
  records: 1,
  media_type: "application/json",
});

/** Two DAOs of two days each, as a manifest has them: `a-b` comes before `a`, unlike in the index. */
const FILES = [
  fileOf("daos.json"),
  fileOf("delegates/a-b/2026-03-30.json"),
  fileOf("delegates/a-b/2026-03-31.json", hash("2")),
  fileOf("delegates/a-b/all.csv"),
  fileOf("delegates/a-b/latest.json"),
  fileOf("delegates/a/2026-03-30.json", hash("3"), 7),
  fileOf("delegates/a/2026-03-31.json", hash("4")),
  fileOf("delegates/a/2026-03-31.jsonx"),
];

const digestsOf = (files: readonly ManifestFile[]) =>
  summarizeFiles([...files, { ...fileOf("index.sqlite"), media_type: "application/vnd.sqlite3" }]).dated;

function indexOf(...changes: readonly string[]): Database.Database {
  const database = new Database(":memory:");
  onTestFinished(() => {
    database.close();
  });
  for (const table of INDEX_TABLES) database.exec(table);
  const insert = database.prepare("INSERT INTO dated_listings VALUES (?, ?, ?, ?, ?)");
  for (const { path, sha256, bytes } of FILES.toReversed()) {
    const [, space, date] = /^delegates\/(.*)\/(\d.*)\.json$/.exec(path) ?? [];
    if (space !== undefined) insert.run(space, date, path, sha256, bytes);
  }
  for (const change of changes) database.exec(change);
  return database;
}

describe("the dated listings of an index and of a manifest", () => {
  it("are the same, in whatever order each has them", async () => {
    const digests = digestsOf(FILES);
    expect([...digests].map(([space, { count }]) => [space, count])).toEqual([
      ["a-b", 2],
      ["a", 2],
    ]);
    expect(await holdsDated(indexOf(), digests)).toBe(true);
  });

  it("are the same where there are none", async () => {
    const none = digestsOf(FILES.slice(0, 1));
    expect(none.size).toBe(0);
    expect(await holdsDated(indexOf("DELETE FROM dated_listings"), none)).toBe(true);
    expect(await holdsDated(indexOf(), none)).toBe(false);
  });

  const [first, second] = ["a/2026-03-30", "a/2026-03-31"].map((name) => `delegates/${name}.json`);
  it.each([
    { why: "one too few", change: "DELETE FROM dated_listings WHERE date = '2026-03-30' AND space_id = 'a'" },
    {
      why: "one too many of a DAO that has some",
      change: `INSERT INTO dated_listings VALUES ('a', '2026-03-29', 'x', '${hash("1")}', 1)`,
    },
    {
      why: "one of a DAO that has none",
      change: `INSERT INTO dated_listings VALUES ('../..', '2026-03-29', 'x', '${hash("1")}', 1)`,
    },
    { why: "another path", change: "UPDATE dated_listings SET path = '../x' WHERE space_id = 'a'" },
    { why: "another hash", change: `UPDATE dated_listings SET sha256 = '${hash("5")}' WHERE space_id = 'a'` },
    { why: "another size", change: "UPDATE dated_listings SET bytes = 8 WHERE bytes = 7" },
    { why: "another day", change: "UPDATE dated_listings SET date = '2026-03-01' WHERE bytes = 7" },
    { why: "another DAO", change: "UPDATE dated_listings SET space_id = 'b' WHERE space_id = 'a'" },
    {
      why: "two days in one row, and a row elsewhere for the count",
      change: `UPDATE dated_listings SET path = '${first} ${hash("3")} 7' || char(10) || '2026-03-31 ${second}', sha256 = '${hash("4")}', bytes = 10
        WHERE space_id = 'a' AND date = '2026-03-30';
        UPDATE dated_listings SET space_id = 'b' WHERE space_id = 'a' AND date = '2026-03-31'`,
    },
  ])("are not: $why", async ({ change }) => {
    expect(await holdsDated(indexOf(change), digestsOf(FILES))).toBe(false);
  });
});
