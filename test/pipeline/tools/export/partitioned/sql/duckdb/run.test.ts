import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareSqlScores } from "../../../../../../support/compare-sql-scores.ts";
import { duckdbScores, SQL_FOLDER, sqlFiles } from "../../../../../../support/duckdb-scores.ts";
import type { PartitionedExport } from "../../../../../../support/partitioned-export.ts";
import { T } from "../../../../../score/sample-facts.ts";
import { inDuckdb, statementsIn } from "../in-duckdb.ts";
import { expectEverythingOdd, exportOddWorld, ODD_MOMENTS } from "../odd-world.ts";

// Another world with every run; `exportOddWorld` makes it again of the seed that a failure names.
const seed = Math.floor(Math.random() * 2 ** 31);

describe(`the measures in SQL over an odd world (seed ${seed})`, () => {
  let root: string;
  let exports: readonly PartitionedExport[];

  const compared = async (index: number, after: Readonly<Record<string, string>> = {}) => {
    const { directory, version } = exports[index] as PartitionedExport;
    const scores = await duckdbScores(directory, { after });
    try {
      if (index === 0) await expectEverythingOdd(scores.rows);
      return await compareSqlScores({ rows: scores.rows, version });
    } finally {
      scores.close();
    }
  };

  beforeAll(async () => {
    ({ root, exports } = await exportOddWorld(seed));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each([...ODD_MOMENTS.entries()])(
    "every number is the published one, to 1e-9 (%i: %s)",
    async (index) => {
      const { mismatches, furthest, numbers } = await compared(index);
      expect(mismatches).toEqual([]);
      expect(furthest).toBeLessThan(1e-9);
      expect(numbers).toBeGreaterThan(3_000);
    },
  );

  test("a largest power that is another by a millionth is seen in the shares, the marks and the scores", async () => {
    // Of every ballot: on one with a single voter, or out of the frame, nothing follows from it.
    const largest = `UPDATE vote SET power = power * 1.000001 WHERE power =
      (SELECT MAX(power) FROM vote AS other WHERE other.proposal_no = vote.proposal_no)`;
    const { mismatches } = await compared(0, { "load.sql": largest });
    for (const name of [/ top_share: /, / gini: /, / effective_low: /, / dei: /, / gvs: /])
      expect(
        mismatches.some((mismatch) => name.test(mismatch)),
        String(name),
      ).toBe(true);
  });
});

describe("the files of the measures", () => {
  test("run.sql reads each of them once", () => {
    const files = readdirSync(SQL_FOLDER).filter((file) => file.endsWith(".sql") && file !== "run.sql");
    expect([...sqlFiles()].sort()).toEqual(files.sort());
  });

  test.each(sqlFiles())("%s says what it makes, in which range and unit, and what is unknown", (file) => {
    const text = readFileSync(join(SQL_FOLDER, file), "utf8");
    const head = text.slice(0, text.indexOf("CREATE OR REPLACE TABLE"));
    for (const word of ["Range:", "Unit:", "Unknown:", "From:", "Makes:"]) expect(head).toContain(word);
  });
});

test("moments.sql looks at the version's moment, the one a day before, and the ends of the last days", async () => {
  const noon = T + 43_200_000;
  const rows = await inDuckdb(async (connection) => {
    await connection.run(`CREATE TABLE version AS SELECT CAST(${noon} AS BIGINT) AS as_of_ms`);
    await connection.run("CREATE TABLE setting AS SELECT 2 AS history_days");
    for (const statement of statementsIn("moments.sql")) await connection.run(statement);
    const moments = await connection.runAndReadAll(
      "SELECT at_ms, is_current, is_day_before, is_history_day FROM moment ORDER BY moment_no",
    );
    return moments.getRows().map((row) => row.map(Number));
  });
  expect(rows).toEqual([
    [T - 86_400_000, 0, 0, 1],
    [noon - 86_400_000, 0, 1, 0],
    [T, 0, 0, 1],
    [noon, 1, 0, 0],
  ]);
});
