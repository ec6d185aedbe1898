import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ClickHouse,
  clickHouseFiles,
  hasClickHouse,
  openClickHouse,
  WITHOUT_CLICKHOUSE,
} from "../support/clickhouse.ts";
import { compareSqlScores } from "../support/compare-sql-scores.ts";
import { duckdbScores } from "../support/duckdb-scores.ts";
import type { PartitionedExport } from "../support/partitioned-export.ts";
import type { AskRows } from "../support/version-files.ts";

/** Three times the power for the strongest vote in any frame of the version, of those on which more than one decides. */
const STRONGER = `ALTER TABLE vote UPDATE power = power * 3 WHERE (proposal_no, voter_no) IN (
  SELECT proposal_no, voter_no FROM vote
  WHERE power > 0 AND proposal_no IN (
    SELECT proposal_no FROM measured JOIN frame_of ON frame_of.frame_no = measured.frame_no
    JOIN moment ON moment.moment_no = frame_of.moment_no WHERE is_current = 1 AND measured.effective > 0.3
  )
  ORDER BY power DESC LIMIT 1
) SETTINGS mutations_sync = 1`;

/** Makes the numbers of one version in one engine, from the facts alone, and compares them with those that are published. */
async function expectSame(rows: AskRows, version: string, numbersMin: number): Promise<void> {
  const { numbers, mismatches, furthest } = await compareSqlScores({ rows, version });
  expect(mismatches).toEqual([]);
  expect(numbers).toBeGreaterThan(numbersMin);
  expect(furthest).toBeLessThan(1e-9);
}

/** A published day, and how many numbers there are to compare at least. */
interface SqlDay {
  readonly day: string;
  readonly numbersMin: number;
}

/** Computes the measures of published days in SQL, in both engines; `exportOf` gives the export of one of them. */
export function describeSql(days: readonly SqlDay[], exportOf: (day: string) => PartitionedExport): void {
  it.each(days)("DuckDB makes every number of $day, to 1e-9", async ({ day, numbersMin }) => {
    const { directory, version } = exportOf(day);
    const scores = await duckdbScores(directory);
    try {
      await expectSame(scores.rows, version, numbersMin);
    } finally {
      scores.close();
    }
  });

  describe.skipIf(!hasClickHouse())(
    `ClickHouse (${hasClickHouse() ? "it is there" : WITHOUT_CLICKHOUSE})`,
    () => {
      let engine: ClickHouse;
      beforeAll(async () => {
        engine = await openClickHouse();
      });
      afterAll(() => engine.close());

      it.each(days)("makes every number of $day, to 1e-9", async ({ day, numbersMin }) => {
        const { directory, version } = exportOf(day);
        await engine.runFiles(directory, clickHouseFiles());
        await expectSame(engine.rows, version, numbersMin);
      });

      it("makes others where one vote has another power", async () => {
        const { directory, version } = exportOf(days.at(-1)?.day ?? "");
        await engine.rows(STRONGER);
        await engine.runFiles(directory, clickHouseFiles().slice(clickHouseFiles().indexOf("votes.sql")));
        const { mismatches } = await compareSqlScores({ rows: engine.rows, version });
        expect(mismatches.length).toBeGreaterThan(5);
        expect(mismatches.join("\n")).toMatch(/ top_share: published/);
      });
    },
  );
}
