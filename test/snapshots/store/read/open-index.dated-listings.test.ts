import { describe, expect, it, onTestFinished } from "vitest";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import type { ManifestFile } from "../../../../snapshots/format/manifest.ts";
import { INDEX_TABLES } from "../../../../snapshots/store/read/index-schema.ts";
import { holdsDated } from "../../../../snapshots/store/read/open-index.ts";

const SHA256 = "1".repeat(64);

const fileOf = (path: string, records = 1, bytes = 10): ManifestFile => ({
  path,
  bytes,
  sha256: SHA256,
  records,
  media_type: "application/x-ndjson",
});

/** Two DAOs of three days each in two months, as a manifest has them: `a-b` comes before `a`, unlike in the index. */
const FILES = [
  fileOf("daos.json"),
  fileOf("delegates/a-b/2026-03.ndjson", 2, 30),
  fileOf("delegates/a-b/2026-04.ndjson"),
  fileOf("delegates/a-b/all.csv"),
  fileOf("delegates/a/2026-03.ndjson", 2, 30),
  fileOf("delegates/a/2026-04.ndjson"),
  fileOf("delegates/a/2026-04.ndjsonx"),
  fileOf("delegates/a/latest.json"),
];

/** Each day of a DAO: where its line begins, and how long it is. */
const LINES = [
  ["2026-03-30", 0, 10],
  ["2026-03-31", 10, 20],
  ["2026-04-01", 0, 10],
] as const;

function indexOf(...changes: readonly string[]): SqliteDatabase {
  const database = openSqlite(":memory:");
  onTestFinished(() => {
    database.close();
  });
  for (const table of INDEX_TABLES) database.exec(table);
  const insert = database.prepare("INSERT INTO dated_listings VALUES (?, ?, ?, ?, ?)");
  for (const space of ["a", "a-b"])
    for (const [date, offset, bytes] of LINES.toReversed()) insert.run(space, date, offset, bytes, SHA256);
  for (const change of changes) database.exec(change);
  return database;
}

describe("the dated listings of an index and of a manifest", () => {
  it("are the same, in whatever order each has them", () => {
    expect(holdsDated(indexOf(), FILES)).toBe(true);
  });

  it("are the same where there are none", () => {
    const none = FILES.slice(0, 1);
    expect(holdsDated(indexOf("DELETE FROM dated_listings"), none)).toBe(true);
    expect(holdsDated(indexOf(), none)).toBe(false);
  });

  it.each([
    { why: "one too few", change: "DELETE FROM dated_listings WHERE date = '2026-03-30' AND space_id = 'a'" },
    {
      why: "one too many of a DAO that has some",
      change: `INSERT INTO dated_listings VALUES ('a', '2026-03-29', 30, 1, '${SHA256}')`,
    },
    {
      why: "one too many, of no bytes",
      change: `INSERT INTO dated_listings VALUES ('a', '2026-03-29', 30, 0, '${SHA256}')`,
    },
    {
      why: "one of a DAO that has none",
      change: `INSERT INTO dated_listings VALUES ('../..', '2026-03-29', 0, 1, '${SHA256}')`,
    },
    { why: "another DAO", change: "UPDATE dated_listings SET space_id = 'b' WHERE space_id = 'a'" },
    {
      why: "another month",
      change: "UPDATE dated_listings SET date = '2026-05-01' WHERE date = '2026-04-01'",
    },
    {
      why: "a month of other lines",
      change: "UPDATE dated_listings SET date = '2026-04-02' WHERE offset = 10",
    },
    { why: "a longer line", change: "UPDATE dated_listings SET bytes = 21 WHERE bytes = 20" },
    { why: "a line beyond the end", change: "UPDATE dated_listings SET offset = 11 WHERE offset = 10" },
    { why: "a month that begins later", change: "UPDATE dated_listings SET offset = 1 WHERE bytes = 10" },
    { why: "a line before the beginning", change: "UPDATE dated_listings SET offset = -1 WHERE bytes = 10" },
    {
      why: "a line of less than no bytes",
      change:
        "UPDATE dated_listings SET bytes = bytes + CASE offset WHEN 10 THEN 20 ELSE -20 END WHERE date < '2026-04'",
    },
    {
      why: "two months in one row, and a row elsewhere for the count",
      change: `DELETE FROM dated_listings WHERE space_id = 'a' AND date > '2026-03-30';
        UPDATE dated_listings SET date = '2026-03' || char(10) WHERE space_id = 'a'`,
    },
  ])("are not: $why", ({ change }) => {
    expect(holdsDated(indexOf(change), FILES)).toBe(false);
  });
});
