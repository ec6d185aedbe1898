import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareSqlScores, type SqlComparison } from "../../../../../support/compare-sql-scores.ts";
import { duckdbScores, SQL_FOLDER, type SqlScores, sqlFiles } from "../../../../../support/duckdb-scores.ts";
import { type PartitionedExport, partitionedExports } from "../../../../../support/partitioned-export.ts";
import { writeOddArchive } from "./odd-archive.ts";

// Another world with every run; `writeOddArchive` makes it again of the seed that a failure names.
const seed = Math.floor(Math.random() * 2 ** 31);

describe(`the measures in SQL over an odd world (seed ${seed})`, () => {
  let root: string;
  let made: PartitionedExport;
  let scores: SqlScores;
  let comparison: SqlComparison;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "govdata-sql-"));
    const archive = join(root, "archive");
    writeOddArchive(archive, seed, "2026-10-31");
    const [only] = await partitionedExports({ archive, root, moments: ["2026-10-31T23:59:59.999Z"] });
    if (only === undefined) throw new Error("nothing was exported");
    made = only;
    scores = await duckdbScores(made.directory);
    comparison = await compareSqlScores({ rows: scores.rows, version: made.version });
  });
  afterAll(() => {
    scores?.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("every number is the published one, to 1e-9", () => {
    expect(comparison.mismatches).toEqual([]);
    expect(comparison.furthest).toBeLessThan(1e-9);
  });

  test("thousands of numbers were compared, of DAOs with a score, without power and without a vote", async () => {
    expect(comparison.numbers).toBeGreaterThan(2_500);
    const [counts] = await scores.rows(`SELECT SUM(CASE WHEN gvs IS NULL THEN 0 ELSE 1 END) AS scored,
      SUM(CASE WHEN gvs_gap = 'NO_PROPOSALS' THEN 1 ELSE 0 END) AS unused,
      SUM(CASE WHEN gvs_gap = 'SPACE_FLAGGED' THEN 1 ELSE 0 END) AS flagged,
      SUM(CASE WHEN dei_gap = 'POWER_UNKNOWN' THEN 1 ELSE 0 END) AS powerless FROM dao_score`);
    expect(Number(counts?.["scored"])).toBeGreaterThanOrEqual(3);
    expect(Number(counts?.["unused"])).toBeGreaterThanOrEqual(1);
    expect(Number(counts?.["flagged"])).toBe(1);
    expect(Number(counts?.["powerless"])).toBeGreaterThanOrEqual(1);
  });
});

describe("the files of the measures", () => {
  test("run.sql reads each of them once", () => {
    const files = readdirSync(SQL_FOLDER).filter((file) => file.endsWith(".sql") && file !== "run.sql");
    expect([...sqlFiles()].sort()).toEqual(files.sort());
  });

  test.each(sqlFiles())("%s says what it makes, in which range and unit, and where its gaps are", (file) => {
    const text = readFileSync(join(SQL_FOLDER, file), "utf8");
    const head = text.slice(0, text.indexOf("CREATE OR REPLACE TABLE"));
    for (const word of ["Range:", "Unit:", "Gap:", "From:", "Makes:"]) expect(head).toContain(word);
  });
});
