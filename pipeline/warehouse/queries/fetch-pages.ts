import { deflateSync, inflateSync } from "node:zlib";
import type { Database } from "better-sqlite3";
import { busyElsewhere } from "../busy-elsewhere.ts";
import { corrupt } from "../corrupt.ts";

/** The pages of one DAO and source that were fetched and are not committed yet. */
export interface FetchPages {
  /** Throws `PipelineError` WAREHOUSE_BUSY where another process has kept this page before. */
  put(series: string, page: number, payload: string): void;
  read(series: string, page: number): string | undefined;
  forget(series: string): void;
  forgetAll(): void;
}

/** A page is a few hundred kilobytes of JSON that repeats itself; more than this is none of ours. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/** Pages are deflated: a quarter of their size, and a checksum that a damaged one does not pass. */
export function fetchPages(database: Database): (daoNumber: number, sourceId: string) => FetchPages {
  const insert = database.prepare<[number, string, string, number, Buffer]>(
    `INSERT INTO fetch_pages (dao_number, source_id, series, page, packed) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const select = database.prepare<[number, string, string, number], { packed: Buffer }>(
    "SELECT packed FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ? AND page = ?",
  );
  const drop = database.prepare<[number, string, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ?",
  );
  const dropAll = database.prepare<[number, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId) => ({
    put(series, page, payload) {
      const { changes } = insert.run(daoNumber, sourceId, series, page, deflateSync(payload, { level: 1 }));
      if (changes === 1) return;
      // Two fetches that mix their pages would lose votes where the pages of the one overlap the other's.
      throw busyElsewhere();
    },
    read(series, page) {
      const row = select.get(daoNumber, sourceId, series, page);
      return row === undefined ? undefined : unpacked(row.packed, series, page);
    },
    forget: (series) => void drop.run(daoNumber, sourceId, series),
    forgetAll: () => void dropAll.run(daoNumber, sourceId),
  });
}

function unpacked(packed: Buffer, series: string, page: number): string {
  try {
    return inflateSync(packed, { maxOutputLength: PAGE_BYTES_MAX }).toString("utf8");
  } catch (cause) {
    throw corrupt(`page ${page} of the series ${series} cannot be read`, cause);
  }
}
