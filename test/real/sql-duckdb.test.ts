import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayEndMs } from "../../snapshots/format/ids.ts";
import { compareSqlScores, type SqlComparison } from "../support/compare-sql-scores.ts";
import { duckdbScores } from "../support/duckdb-scores.ts";
import { type PartitionedExport, partitionedExports } from "../support/partitioned-export.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";

/** Moments with much in them: most votes to the second; then voters that vote alike, days alone for times, and delegates. */
const MOMENTS = [
  { day: "2021-11-20", numbersMin: 40_000 },
  { day: "2026-04-28", numbersMin: 32_000 },
] as const;

const archive = realArchive();

describe.skipIf(archive === undefined)(
  `the measures in SQL over the real archive (${archive ? "archive found" : WITHOUT_REAL_DATA})`,
  () => {
    let root: string;
    let exports: readonly PartitionedExport[];

    const compared = async (
      index: number,
      changes: Readonly<Record<string, string>>,
    ): Promise<SqlComparison> => {
      const made = exports[index];
      if (made === undefined) throw new Error("nothing was exported");
      const scores = await duckdbScores(made.directory, { after: changes });
      try {
        return await compareSqlScores({ rows: scores.rows, version: made.version });
      } finally {
        scores.close();
      }
    };

    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "govdata-sql-real-"));
      const moments = MOMENTS.map(({ day }) => new Date(dayEndMs(day)).toISOString());
      exports = await partitionedExports({ archive: archive ?? "", root, moments });
    }, 300_000);
    afterAll(() => rmSync(root, { recursive: true, force: true }));

    it.each([...MOMENTS.entries()])(
      "gives every published number to 1e-9 (%i)",
      async (index, { numbersMin }) => {
        const { mismatches, numbers, furthest } = await compared(index, {});
        expect(mismatches).toEqual([]);
        expect(numbers).toBeGreaterThan(numbersMin);
        expect(furthest).toBeLessThan(1e-9);
      },
      300_000,
    );

    it("sees one vote's power that is another", async () => {
      // The proposal that drew most power of the last 180 days: it is in the frame.
      const drawing = `(SELECT proposal_no FROM proposal CROSS JOIN version WHERE space_id = 'aave-governance-v3'
        AND end_ms BETWEEN as_of_ms - 180 * CAST(86400000 AS BIGINT) AND as_of_ms ORDER BY scores_total DESC LIMIT 1)`;
      const largest = `UPDATE vote SET power = power * 1.001
        WHERE proposal_no = ${drawing} AND power = (SELECT MAX(power) FROM vote WHERE proposal_no = ${drawing})`;
      const { mismatches } = await compared(1, { "load.sql": largest });
      expect(mismatches.some((mismatch) => /^aave-governance-v3 .* top_share:/.test(mismatch))).toBe(true);
    }, 300_000);
  },
);
