import type { Database } from "better-sqlite3";

/** A DAO's row; both complete fields are set once a fetch was kept whole. */
export interface DaoRow {
  readonly daoNumber: number;
  readonly completeSourceId: string | null;
  readonly completeFetchedAtMs: number | null;
}

/** A DAO by its space_id; `undefined` where it was never fetched. */
export function readDao(database: Database): (spaceId: string) => DaoRow | undefined {
  const select = database.prepare<[string], DaoRow>(
    `SELECT dao_number AS daoNumber, complete_source_id AS completeSourceId,
            complete_fetched_at_ms AS completeFetchedAtMs
     FROM daos WHERE space_id = ?`,
  );
  return (spaceId) => select.get(spaceId);
}
