import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openSqlite } from "../../../../../../snapshots/base/sqlite.ts";
import { type PartitionedExport, partitionedExports } from "../../../../../support/partitioned-export.ts";
import type { AskRows } from "../../../../../support/version-files.ts";
import { writeOddArchive } from "./odd-archive.ts";

const LAST_DAY = "2026-06-30";
/** At the end of the last day of votes, and in the middle of one months later, when nobody votes any more. */
export const ODD_MOMENTS = [`${LAST_DAY}T23:59:59.999Z`, "2026-10-15T12:00:00.000Z"] as const;
/** Every other DAO was fetched from a live source, so that days went by unseen. */
const LIVE_FETCH = `UPDATE complete_fetches SET source_id = 'snapshot-hub', fetched_at_ms = ${Date.parse("2026-06-27T06:00:00.000Z")}
  WHERE dao_number % 2 = 0`;
/** No hub says which power counts for a quorum, but governors do. */
const PART_COUNTS = `UPDATE proposals SET quorum_power = 0.1 * (proposal_number % 13) * quorum WHERE proposal_number % 3 > 0`;

/** Exports of an odd world as of its moments, in a folder that the caller removes; `seed` makes it again. */
export async function exportOddWorld(
  seed: number,
): Promise<{ readonly root: string; readonly exports: readonly PartitionedExport[] }> {
  const root = mkdtempSync(join(tmpdir(), "govdata-sql-odd-"));
  const archive = join(root, "archive");
  writeOddArchive(archive, seed, LAST_DAY);
  const exports = await partitionedExports({
    archive,
    root,
    moments: ODD_MOMENTS,
    onFetched(home) {
      const warehouse = openSqlite(join(home, "warehouse.db"));
      const { changes } = warehouse.prepare(LIVE_FETCH).run();
      warehouse.prepare(PART_COUNTS).run();
      warehouse.close();
      expect(changes).toBeGreaterThan(2);
    },
  });
  return { root, exports };
}

/** Makes sure that an engine has made something of everything odd. */
export async function expectEverythingOdd(rows: AskRows): Promise<void> {
  const [counts] = await rows(`SELECT SUM(CASE WHEN unscored IS NULL THEN 1 ELSE 0 END) AS scored,
    SUM(CASE WHEN unscored = 'NO_PROPOSALS' THEN 1 ELSE 0 END) AS unused,
    SUM(CASE WHEN unscored = 'SPACE_FLAGGED' THEN 1 ELSE 0 END) AS flagged,
    SUM(CASE WHEN unscored = 'TOO_LITTLE_KNOWN' THEN 1 ELSE 0 END) AS little_known,
    SUM(CASE WHEN risk_score IS NULL THEN 1 ELSE 0 END) AS powerless FROM dao_score`);
  expect(Number(counts?.["scored"]), "scored").toBeGreaterThanOrEqual(3);
  expect(Number(counts?.["unused"]), "unused").toBeGreaterThanOrEqual(1);
  expect(Number(counts?.["flagged"]), "flagged").toBe(1);
  expect(Number(counts?.["little_known"]), "little known").toBeGreaterThanOrEqual(1);
  expect(Number(counts?.["powerless"]), "powerless").toBeGreaterThanOrEqual(2);
  const [merged] = await rows("SELECT COUNT(*) AS voters, MAX(part) AS largest FROM alike");
  expect(Number(merged?.["voters"]), "voters that pass something on").toBeGreaterThan(0);
  const [sided] =
    await rows(`SELECT COUNT(*) AS pairs FROM agreement JOIN proposal ON proposal.proposal_no = agreement.proposal_no
    WHERE voting_type = 'basic' AND part > 0 AND part < 1`);
  expect(Number(sided?.["pairs"]), "abstentions beside sides").toBeGreaterThan(0);
  const [judged] = await rows("SELECT MIN(continuity) AS least, MAX(continuity) AS most FROM continuity");
  expect(Number(judged?.["least"]), "the least continuity").toBeLessThan(1);
  expect(Number(judged?.["most"]), "the largest continuity").toBe(1);
  const [parts] = await rows("SELECT COUNT(*) AS quorums FROM proposal WHERE quorum_power < quorum");
  expect(Number(parts?.["quorums"]), "quorums for which a part counts").toBeGreaterThan(0);
  const [labelled] = await rows("SELECT COUNT(*) AS wallets FROM voter WHERE is_labelled = 1");
  expect(Number(labelled?.["wallets"])).toBe(3);
}
