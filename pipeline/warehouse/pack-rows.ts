import type { Database } from "better-sqlite3";
import type { DailyPoint } from "../facts/daily-point.ts";
import { ADDRESS_WORDS } from "../facts/voter-list.ts";
import { addressOf, addressWords } from "./address-bytes.ts";
import { optional } from "./columns.ts";
import { pointColumns } from "./queries/point-columns.ts";
import { notInOrder, voterBlocks } from "./queries/voter-blocks.ts";

/** What SQL has no words for: the second half of a migration, by the name of its file, in the same transaction. */
export const PACK_ROWS: ReadonlyMap<string, (database: Database) => void> = new Map([
  ["005-voter-blocks.sql", packVoterRows],
  ["006-point-columns.sql", packPointRows],
]);

function packVoterRows(database: Database): void {
  const count = database.prepare<[], number>("SELECT count(*) FROM voters").pluck().get() ?? 0;
  const rows = database.prepare<[], { address: Buffer; voterNumber: number }>(
    "SELECT address, voter_number AS voterNumber FROM voters ORDER BY voter_number",
  );
  const words = new Int32Array(count * ADDRESS_WORDS);
  const isLong = new Uint8Array(count);
  let place = 0;
  for (const { address, voterNumber } of rows.iterate()) {
    if (voterNumber !== place + 1) throw notInOrder();
    const voter = addressWords(addressOf(address));
    words.set(voter.words, place * ADDRESS_WORDS);
    isLong[place] = voter.isLong ? 1 : 0;
    place += 1;
  }
  voterBlocks(database).putAfter(0, { count, words, isLong });
  database.exec("DROP TABLE voters");
}

interface PointRow extends Omit<DailyPoint, "components" | "riskScore"> {
  readonly hpr: number;
  readonly dei: number;
  readonly pdi: number;
  readonly gpi: number;
  readonly riskScore: number | null;
}

function packPointRows(database: Database): void {
  const owners = database.prepare<[], { spaceId: string; methodKey: string }>(
    "SELECT DISTINCT space_id AS spaceId, method_key AS methodKey FROM daily_points",
  );
  const select = database.prepare<[string, string], PointRow>(
    `SELECT date, methodology_version AS methodologyVersion, gvs, hpr, dei, pdi, gpi,
            risk_score AS riskScore, completeness_pct AS completenessPct, attention_sum AS attentionSum
     FROM daily_points WHERE space_id = ? AND method_key = ? ORDER BY date`,
  );
  const columns = pointColumns(database);
  for (const { spaceId, methodKey } of owners.all()) {
    const points = select.all(spaceId, methodKey).map(({ hpr, dei, pdi, gpi, riskScore, ...rest }) => ({
      ...rest,
      components: { hpr, dei, pdi, gpi },
      riskScore: optional(riskScore),
    }));
    columns.write(spaceId, methodKey, points);
  }
  database.exec("DROP TABLE daily_points");
}
