import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ClickHouse,
  clickHouseFiles,
  hasClickHouse,
  openClickHouse,
  WITHOUT_CLICKHOUSE,
} from "../support/clickhouse.ts";
import { compareSqlScores } from "../support/compare-sql-scores.ts";
import { type PartitionedExport, partitionedExports } from "../support/partitioned-export.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";

const archive = realArchive();
const missing = archive === undefined ? WITHOUT_REAL_DATA : hasClickHouse() ? undefined : WITHOUT_CLICKHOUSE;

/** Moments with much in them: most votes to the second; then voters that vote alike, days alone for times, and delegates. */
const MOMENTS = [
  { moment: "2022-05-15T23:59:59.999Z", numbersMin: 44_000 },
  { moment: "2026-04-28T23:59:59.999Z", numbersMin: 32_000 },
] as const;

/** Three times the power for the strongest vote in any frame of the version, of those on which more than one decides. */
const STRONGER = `ALTER TABLE vote UPDATE power = power * 3 WHERE (proposal_no, voter_no) IN (
  SELECT proposal_no, voter_no FROM vote
  WHERE power > 0 AND proposal_no IN (
    SELECT proposal_no FROM measured JOIN frame_of ON frame_of.frame_no = measured.frame_no
    JOIN moment ON moment.moment_no = frame_of.moment_no WHERE is_current = 1 AND measured.effective > 0.3
  )
  ORDER BY power DESC LIMIT 1
) SETTINGS mutations_sync = 1`;

describe.skipIf(missing !== undefined)(
  `real scores by SQL in ClickHouse (${missing ?? "both found"})`,
  () => {
    let root: string;
    let exports: readonly PartitionedExport[];
    let engine: ClickHouse;

    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "govdata-sql-clickhouse-"));
      const moments = MOMENTS.map(({ moment }) => moment);
      exports = await partitionedExports({ archive: archive ?? "", root, moments });
      engine = await openClickHouse();
    }, 300_000);
    afterAll(async () => {
      await engine?.close();
      rmSync(root, { recursive: true, force: true });
    });

    it.each(MOMENTS.map((each, index) => ({ ...each, place: index })))(
      "makes every published number as of $moment from the facts alone",
      async ({ place: index, numbersMin }) => {
        const { directory, version } = exports[index] as PartitionedExport;
        await engine.runFiles(directory, clickHouseFiles());
        const { numbers, mismatches, furthest } = await compareSqlScores({ rows: engine.rows, version });
        expect(mismatches).toEqual([]);
        expect(furthest).toBeLessThan(1e-9);
        expect(numbers).toBeGreaterThan(numbersMin);
      },
      300_000,
    );

    it("sees one vote of another power", async () => {
      const { directory, version } = exports.at(-1) as PartitionedExport;
      await engine.rows(STRONGER);
      await engine.runFiles(directory, clickHouseFiles().slice(clickHouseFiles().indexOf("votes.sql")));
      const { mismatches } = await compareSqlScores({ rows: engine.rows, version });
      expect(mismatches.length).toBeGreaterThan(5);
      expect(mismatches.join("\n")).toMatch(/ top_share: published/);
    }, 300_000);
  },
);
